import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { FromReceiver, ReceiverCounts, Secrets, ToReceiver } from './receiver.ts';
import type { Teardown } from './teardown.ts';

const ANSWER_WAIT_MS = 10_000;

/** The bench's side of the receiver process. */
export interface Merchant {
  readonly port: number;
  readonly pid: number;
  /** Counts anew; the promise resolves to the instant (Unix ms) at which as many distinct valid deliveries have come. */
  await(deliveries: { secrets: Secrets; until: number; timeoutMs: number }): Promise<number>;
  counts(): Promise<ReceiverCounts>;
}

export async function startMerchant(teardown: Teardown): Promise<Merchant> {
  const child = fork(join(import.meta.dirname, 'receiver.ts'), {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  teardown.add(async () => void child.kill('SIGKILL'));
  const ask = (asked: ToReceiver): void => void child.send(asked);
  const { port } = await told(child, 'port', ANSWER_WAIT_MS);
  return {
    port,
    pid: child.pid ?? 0,
    await: async ({ secrets, until, timeoutMs }) => {
      ask({ ask: 'begin', secrets, until });
      return (await told(child, 'reached', timeoutMs)).atMs;
    },
    counts: async () => {
      ask({ ask: 'report' });
      return (await told(child, 'report', ANSWER_WAIT_MS)).counts;
    },
  };
}

type Kind = FromReceiver['told'];
type ToldAs<K extends Kind> = Extract<FromReceiver, { told: K }>;

const isKind = <K extends Kind>(message: FromReceiver, kind: K): message is ToldAs<K> => message.told === kind;

/** The next message of that kind; rejects when none comes in time or the receiver ends. */
function told<K extends Kind>(child: ChildProcess, kind: K, timeoutMs: number): Promise<ToldAs<K>> {
  const next = Promise.withResolvers<ToldAs<K>>();
  const onMessage = (message: unknown): void => {
    const came = message as FromReceiver; // only receiver.ts speaks on this channel
    if (isKind(came, kind)) next.resolve(came);
  };
  const onExit = () => next.reject(new Error(`the receiver ended before it told "${kind}"`));
  const late = () => next.reject(new Error(`the receiver did not tell "${kind}" within ${timeoutMs} ms`));
  const timer = setTimeout(late, timeoutMs);
  child.on('message', onMessage).once('exit', onExit);
  return next.promise.finally(() => {
    clearTimeout(timer);
    child.off('message', onMessage).off('exit', onExit);
  });
}
