import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { configFolder, type Environment, keep, readKept } from './config.ts';

/** What a listener keeps: by it a restart goes on where the last one ended. */
export interface Listener {
  readonly account: string;
  readonly base_url: string;
  readonly forward_to: string | null;
  /** Where the feed goes on; null: it was never read. */
  readonly cursor: string | null;
  /** Events behind the cursor that were forwarded or given up. */
  readonly handled: readonly string[];
}

type Identity = Pick<Listener, 'account' | 'base_url' | 'forward_to'>;

function fileOf(env: Environment, folder: string, identity: readonly (string | null)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
  return join(configFolder(env), folder, `${digest.slice(0, 32)}.json`);
}

/** A listener is told apart by the account, the service and the address that it forwards to. */
const listenerFile = (env: Environment, { account, base_url, forward_to }: Identity): string =>
  fileOf(env, 'listeners', [account, base_url, forward_to]);

/** The listener that was kept, else a new one. */
export async function openListener(env: Environment, identity: Identity): Promise<Listener> {
  const kept = await readKept<Listener>(listenerFile(env, identity));
  if (kept !== null) return kept;
  const made: Listener = { ...identity, cursor: null, handled: [] };
  await keepListener(env, made);
  return made;
}

export const keepListener = (env: Environment, listener: Listener): Promise<void> =>
  keep(listenerFile(env, listener), listener);

/** Signs all that is forwarded of an account, wherever to: a shop that moves to another port goes on verifying. */
export async function signingSecret(
  env: Environment,
  { account, base_url }: Omit<Identity, 'forward_to'>,
): Promise<string> {
  const file = fileOf(env, 'secrets', [account, base_url]);
  const kept = await readKept<{ secret: string }>(file);
  if (kept !== null) return kept.secret;
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  await keep(file, { secret });
  return secret;
}
