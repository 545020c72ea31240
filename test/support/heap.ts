import type { ChildProcess } from 'node:child_process';

const ANNOUNCED = /Debugger listening on (ws:\/\/\S+)/;

/** Where the inspector of a process that was started with `--inspect` listens. */
export function inspectorOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let told = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      told += text;
      const url = ANNOUNCED.exec(told)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`ended with ${code} before its inspector listened: ${told}`)));
  });
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly chunk?: string };
}

/** Every string that something in the heap of a process still refers to, behind a collection of garbage. */
export async function stringsInHeap(inspector: string): Promise<readonly string[]> {
  const socket = new WebSocket(inspector);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  const chunks: string[] = [];
  const waiting = new Map<number, () => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, method, params } = JSON.parse(String(data)) as Message;
    if (method === 'HeapProfiler.addHeapSnapshotChunk') chunks.push(params?.chunk ?? '');
    if (id !== undefined) waiting.get(id)?.();
  });
  const ask = (id: number, method: string) =>
    new Promise<void>((resolve) => {
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method }));
    });
  await ask(1, 'HeapProfiler.enable');
  await ask(2, 'HeapProfiler.collectGarbage');
  await ask(3, 'HeapProfiler.takeHeapSnapshot');
  socket.close();
  return (JSON.parse(chunks.join('')) as { strings: string[] }).strings;
}
