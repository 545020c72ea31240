import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ReceiptView } from '../../../web/page/receipt-data.ts';

/** Many times what a receipt of the most lines takes. */
const HEAP_MAX_MIB = 256;

/**
 * Draws receipts in a thread of its own, one after another: a long one takes 60 ms, and all requests would wait for it.
 * The thread is there from the first receipt on; one that failed ends it, and the next begins another.
 */
export class DrawingThread {
  #worker: Worker | null = null;

  /** The file's bytes; not to be called before the former receipt is done. */
  async draw(view: ReceiptView): Promise<Uint8Array> {
    this.#worker ??= this.#begin();
    const worker = this.#worker;
    const done = new AbortController();
    const { signal } = done;
    // What goes wrong there ends the waiting by itself; a thread may also end without a word.
    const ended = once(worker, 'exit', { signal }).then(() => {
      throw new Error('the thread that draws receipts ended');
    });
    try {
      worker.postMessage(view);
      const [file] = await Promise.race([once(worker, 'message', { signal }), ended]);
      return file;
    } finally {
      done.abort();
    }
  }

  #begin(): Worker {
    const worker = new Worker(new URL('drawer.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MIB },
    });
    worker.unref();
    const forget = (): void => {
      if (this.#worker === worker) this.#worker = null;
    };
    // Told to whoever waits for a receipt, if anybody does.
    worker.on('error', forget);
    worker.on('exit', forget);
    return worker;
  }
}
