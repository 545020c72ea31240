import { type Answer, answerOf, type WithResponse } from '../answer.ts';
import { FaturaError } from '../errors.ts';
import type { TestClock as Clock, TestClockAdvance } from '../generated/types.ts';
import { pause, timeLimit } from '../retry.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

const READY_WITHIN_MS = 600_000;
const PAUSE_MS = 50;
const PAUSE_MAX_MS = 1_000;

/** Options of an advance. */
export interface AdvanceOptions extends Omit<WriteOptions, 'timeoutMs'> {
  /** How long it may take until the clock is ready, all requests included. Milliseconds, default 600000. */
  timeoutMs?: number | undefined;
}

/** The clock of your sandbox: move it ahead and see what time brings. A live key is refused with `ENVIRONMENT_MISMATCH`. */
export class TestClock {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Reads the clock.
   * @throws {FaturaError} `ENVIRONMENT_MISMATCH`.
   */
  retrieve(options?: RequestOptions): Answer<Clock> {
    return this.#transport.send('testClock.retrieve', {}, options);
  }

  /**
   * Advances the clock to an instant (Unix seconds), at most two calendar years ahead, and answers when it is `ready`
   * there: all that fell due on the way has been done. Until then whatever would change the sandbox is refused.
   * @throws {FaturaError} `INVALID_STATE` when it is advancing already, `TIMEOUT` when it takes longer than
   * `timeoutMs` (it goes on then), `ENVIRONMENT_MISMATCH`.
   */
  advance(advance: TestClockAdvance, options: AdvanceOptions = {}): Answer<Clock> {
    return answerOf(this.#advance(advance, options));
  }

  /**
   * Deletes everything in your sandbox, webhook endpoints too, and returns its clock to real time. Let other requests
   * end first: what one writes at the same moment may stay too.
   * @throws {FaturaError} `INVALID_STATE` while the clock is advancing, `ENVIRONMENT_MISMATCH`.
   */
  reset(options?: WriteOptions): Answer<Clock> {
    return this.#transport.send('testClock.reset', {}, options);
  }

  async #advance({ to }: TestClockAdvance, options: AdvanceOptions): Promise<WithResponse<Clock>> {
    const { timeoutMs = READY_WITHIN_MS, ...asked } = options;
    const { signal, release } = timeLimit(timeoutMs, asked.signal);
    try {
      return await this.#untilReady(to, { ...asked, signal });
    } catch (error) {
      throw signal.aborted && !asked.signal?.aborted ? unready(to, timeoutMs) : error;
    } finally {
      release();
    }
  }

  async #untilReady(to: number, asked: WriteOptions): Promise<WithResponse<Clock>> {
    const { idempotencyKey: _, ...looks } = asked;
    let answer = await this.#transport.request('testClock.advance', { body: { to } }, asked);
    for (let pauseMs = PAUSE_MS; answer.data.status === 'advancing'; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
      await pause(pauseMs, asked.signal);
      answer = await this.#transport.request('testClock.retrieve', {}, looks);
    }
    return answer;
  }
}

const unready = (to: number, timeoutMs: number): FaturaError =>
  new FaturaError({
    message: `the test clock was not ready at ${to} within ${timeoutMs} ms; it goes on: testClock.retrieve() tells when it is`,
    code: 'TIMEOUT',
    type: 'client_error',
  });
