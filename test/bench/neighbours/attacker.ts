import { setTimeout as sleep } from 'node:timers/promises';
import { RawConnection } from '../raw-http.ts';

export type Mode = 'live' | 'sandbox';

/** What an attacker works with: a service, and an account whose limits are those of any. Plain values, for it is a process of its own. */
export interface Scene {
  readonly port: number;
  readonly databaseUrl: string;
  readonly accountId: string;
  readonly keys: Readonly<Record<Mode, string>>;
  /** A customer of the account in each mode. */
  readonly customers: Readonly<Record<Mode, string>>;
  /** Sandbox keys of accounts that hold together. */
  readonly crowd: readonly string[];
  /** Sandbox keys of accounts with subscriptions. */
  readonly subscribed: readonly string[];
}

/** What answers there were, by status; `cut` counts connections that the service ended. */
export type Answers = Record<string, number>;

/** One way to harm neighbours: a file of its own, listed in attackers.ts. */
export interface Attacker {
  readonly name: string;
  /** In which modes of its account it is tried. */
  readonly modes: readonly Mode[];
  /** Begins, and resolves when the attack is under way; what it resolves to ends the attack. */
  start(scene: Scene, mode: Mode): Promise<() => Promise<Answers>>;
}

/** A hostile client does not wait for long; one that never did would measure the machine and not the service. */
export const PAUSE_MS = 20;

/** Sends requests on many connections, one behind the other on each, whatever is answered. */
export function flood(port: number, connections: number, request: () => string | Buffer): () => Promise<Answers> {
  const answers: Answers = {};
  const count = (what: string): void => {
    answers[what] = (answers[what] ?? 0) + 1;
  };
  let isOver = false;
  const lane = async (): Promise<void> => {
    let connection: RawConnection | null = null;
    while (!isOver) {
      try {
        connection ??= await RawConnection.open(port);
        const { status } = await connection.send(request());
        count(String(status));
        if (status >= 400) await sleep(PAUSE_MS);
      } catch {
        count('cut');
        connection = null;
        await sleep(PAUSE_MS);
      }
    }
    connection?.close();
  };
  const lanes = Array.from({ length: connections }, lane);
  return async () => {
    isOver = true;
    await Promise.all(lanes);
    return answers;
  };
}

export const authorization = ({ keys }: Scene, mode: Mode): Record<string, string> => ({
  Authorization: `ApiKey ${keys[mode]}`,
});
