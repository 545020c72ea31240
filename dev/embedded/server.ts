import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, type ChildOptions, startChild } from './child.ts';
import { freePortFrom } from './ports.ts';
import { waitFor } from './wait.ts';

const TRIES_MAX = 30;
const RETRY_MS = 500;
const ERROR_LINES = 20;

export type ServerOptions = {
  name: string;
  /** That of a former one, else chosen near the preferred. */
  port: number | undefined;
  preferredPort: number;
  onPort(port: number): ChildOptions;
  /** What its log says once it serves. The port would tell less: another server may answer there. */
  isReady: RegExp;
  /** What its log says when another try may go well: another program took the port since we looked, say. */
  isPassing: RegExp;
  limitMs: number;
  /** What may help when it does not start. */
  advice?: string;
  report?: ((line: string) => void) | undefined;
};

/** Starts a server on a port that it gets. */
export async function startServer(server: ServerOptions): Promise<Child & { port: number }> {
  const { name, isReady, isPassing, limitMs, report, advice = '' } = server;
  for (let tries = 1; ; tries += 1) {
    const port = server.port ?? (await freePortFrom(server.preferredPort));
    const child = await startChild(server.onPort(port));
    const tell = (waited: string) => report?.(`${name} is still starting (${waited}).`);
    await waitFor(() => child.hasExited() || isReady.test(child.log()), { limitMs, tell });
    if (!child.hasExited() && isReady.test(child.log())) return { ...child, port };
    await child.stop();
    if (!isPassing.test(child.log()) || tries === TRIES_MAX) {
      const lines = [...child.log().split('\n').slice(-ERROR_LINES), advice];
      throw new Error(`${name} does not start:\n${lines.join('\n').trim()}`);
    }
    await sleep(RETRY_MS);
  }
}
