import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { configFolder, type Environment, keep, readKept } from './config.ts';

/** What a listener keeps: by it a restart goes on where the last one ended. */
export interface Listener {
  readonly account: string;
  readonly base_url: string;
  readonly forward_to: string | null;
  /** Signs what is forwarded; the same for as long as the file is there. */
  readonly secret: string;
  /** Where the feed goes on; null: it was never read. */
  readonly cursor: string | null;
  /** Events behind the cursor that were forwarded or given up. */
  readonly handled: readonly string[];
}

type Identity = Pick<Listener, 'account' | 'base_url' | 'forward_to'>;

/** A listener is told apart by the account, the service and the address that it forwards to. */
function fileOf(env: Environment, { account, base_url, forward_to }: Identity): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([account, base_url, forward_to]))
    .digest('hex');
  return join(configFolder(env), 'listeners', `${digest.slice(0, 32)}.json`);
}

/** The listener that was kept, else a new one. */
export async function openListener(env: Environment, identity: Identity): Promise<Listener> {
  const kept = await readKept<Listener>(fileOf(env, identity));
  if (kept !== null) return kept;
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const made: Listener = { ...identity, secret, cursor: null, handled: [] };
  await keepListener(env, made);
  return made;
}

export const keepListener = (env: Environment, listener: Listener): Promise<void> =>
  keep(fileOf(env, listener), listener);
