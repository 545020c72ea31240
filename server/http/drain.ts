import type { RequestListener, Server, ServerResponse } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setImmediate as afterPoll, setTimeout as sleep } from 'node:timers/promises';
import type { Connections } from './connections.ts';

/** The listener closes once no connection was opened for so long, or at the latest after the other time. */
const QUIET_MS = 100;
const QUIET_WAIT_MS = 2_000;
const LOOK_EVERY_MS = 50;
/** A connection that was silent for so long is about to bring no request. */
const SILENT_MS = 500;

/**
 * Serves an app, and ends its server so that no client sees a connection break (docs/operations.md#the-end-of-a-process). What is
 * returned ends it; connections are taken for so long yet.
 */
export function serveUntilDrained(
  app: RequestListener,
  { server, connections }: { server: Server; connections: Connections },
): (listenMs: number) => Promise<void> {
  const answers = new Set<ServerResponse>();
  let isDraining = false;
  let held: (() => void)[] | null = null;
  const askToLeave = (answer: ServerResponse): void => {
    if (!answer.headersSent) answer.setHeader('Connection', 'close');
  };
  server.on('request', (request, answer) => {
    answers.add(answer);
    answer.once('close', () => answers.delete(answer));
    if (isDraining) askToLeave(answer);
    if (held === null) app(request, answer);
    else held.push(() => app(request, answer));
  });
  /** A connection that waits to be taken is reset when the listener closes: clients that wait for an answer open none. */
  const closeListener = async (): Promise<void> => {
    const waiting: (() => void)[] = [];
    held = waiting;
    await untilQuiet(server);
    // HTTP's own end resets at once what is silent.
    TcpServer.prototype.close.call(server);
    held = null;
    for (const begin of waiting) begin();
  };
  return async (listenMs) => {
    isDraining = true;
    for (const answer of answers) askToLeave(answer);
    await sleep(listenMs);
    const closed = new Promise((resolve) => server.once('close', resolve));
    await closeListener();
    const sweep = setInterval(() => connections.endSilent(SILENT_MS), LOOK_EVERY_MS);
    await closed;
    clearInterval(sweep);
  };
}

/** Waits until no connection was opened for a while, and all that were are taken. */
async function untilQuiet(server: Server): Promise<void> {
  const untilMs = performance.now() + QUIET_WAIT_MS;
  let isQuiet = false;
  const saw = (): void => {
    isQuiet = false;
  };
  server.on('connection', saw);
  while (!isQuiet && performance.now() < untilMs) {
    isQuiet = true;
    await sleep(QUIET_MS);
    await afterPoll();
  }
  server.off('connection', saw);
}
