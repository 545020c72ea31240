import type { z } from 'zod';
import {
  type ApiKeyCreate,
  type ApiKeyListQuery,
  type ApiKeyUpdate,
  type ApiKey as ApiKeyView,
  KEY_LIFETIME_MAX,
  ROLL_HOURS_DEFAULT,
} from '../../contract/api-keys.ts';
import { type ApiKey, type IssuedKey, keyIn, lockKeys, readKeys, statusOfKey } from '../accounts/api-keys.ts';
import { ApiKeySchema } from '../accounts/entity.ts';
import { addKey, changeKeyTerms, endKeyNow, succeedKey } from '../accounts/key-changes.ts';
import { areWithin, storedNetwork } from '../accounts/networks.ts';
import type { Deps } from '../deps.ts';
import { BillingError, invalidParameter, missing } from '../kernel/errors.ts';
import type { Page } from '../kernel/pages.ts';
import { realTime, realTimeMs, type Timestamp } from '../kernel/time.ts';
import { listPage } from '../unit-of-work/lists.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';

const viewKey = (key: ApiKey): ApiKeyView => ({
  id: key.id,
  object: 'api_key',
  name: key.name,
  scope: key.scope,
  networks: [...key.networks],
  reads: key.reads,
  hint: key.hint,
  status: statusOfKey(key),
  created: key.created,
  last_used_at: key.lastUsedAt,
  expires_at: key.expiresAt,
  revoked_at: key.revokedAt,
  replaced_by: key.replacedBy,
  live_mode: key.liveMode,
});

/** The one answer that has the key itself; where it is stored for repeats of the request it is sealed as every answer is. */
const answerIssued = (tx: Tx, issued: IssuedKey): ApiKeyView => tx.answer({ ...viewKey(issued), key: issued.key });

/**
 * Waits for other changes of the account's keys, and answers the key that asks for this one; null: no key does. A key that ended
 * meanwhile is refused here: until now the process may have known it as a valid one.
 */
async function lockAsCaller(tx: Tx): Promise<ApiKey | null> {
  await lockKeys(tx, tx.scope);
  const { origin } = tx.scope;
  if (origin?.actor.kind !== 'api_key') return null;
  const caller = await keyIn(tx, tx.scope, origin.actor.id);
  if (!caller.isOver) return caller;
  throw new BillingError('API_KEY_EXPIRED', { message: 'The API key ended and is no longer valid' });
}

const denied = (message: string): BillingError => new BillingError('PERMISSION_DENIED', { message });

function refuseOtherNetworks(caller: ApiKey | null, networks: readonly string[]): void {
  if (caller === null || areWithin(networks, caller.networks)) return;
  throw denied(
    `This API key may be used from ${caller.networks.join(', ')} alone, and hands on no other networks than these`,
  );
}

/** A key hands on no more than it has: else a short or bound one would make itself another without these bounds. */
function refuseMore(
  caller: ApiKey | null,
  { networks, expiresAt }: { readonly networks: readonly string[]; readonly expiresAt: Timestamp | null },
): void {
  refuseOtherNetworks(caller, networks);
  const end = caller?.expiresAt ?? null;
  if (end === null || (expiresAt !== null && expiresAt <= end)) return;
  throw denied(`This API key ends at ${end}, and hands on nothing that ends later`);
}

function endOf(expiresAt: Timestamp | null | undefined): Timestamp | null {
  if (expiresAt === null || expiresAt === undefined) return null;
  const now = realTime();
  if (expiresAt > now && expiresAt <= now + KEY_LIFETIME_MAX) return expiresAt;
  const param = 'api_key.expires_at';
  const latest = now + KEY_LIFETIME_MAX;
  throw invalidParameter(param, `${param} must lie after now (${now}) and at most at ${latest}, got ${expiresAt}`);
}

const storedNetworks = (networks: readonly string[]): string[] => [...new Set(networks.map(storedNetwork))];

/** Makes a key of the account and mode of whoever asks. One that a key makes goes on with its count of requests: that raises no limit. */
export function createApiKey(deps: Deps, scope: Scope, input: z.output<typeof ApiKeyCreate>): Promise<ApiKeyView> {
  const { accountId, liveMode } = scope;
  const terms = { networks: storedNetworks(input.networks ?? []), expiresAt: endOf(input.expires_at) };
  return deps.transaction(scope, async (tx) => {
    const caller = await lockAsCaller(tx);
    refuseMore(caller, terms);
    const bucket = caller === null ? null : (caller.bucket ?? caller.id);
    const wanted = {
      accountId,
      liveMode,
      name: input.name,
      scope: input.scope,
      reads: input.reads ?? 'latest',
      ...terms,
      bucket,
    } as const;
    return answerIssued(tx, await addKey(tx, wanted));
  });
}

export async function retrieveApiKey({ pool }: Pick<Deps, 'pool'>, scope: Scope, id: string): Promise<ApiKeyView> {
  const [key] = await readKeys(pool, scope, [id]);
  if (key === undefined) throw missing('key', id);
  return viewKey(key);
}

function inStatus(status: z.output<typeof ApiKeyListQuery>['status']) {
  const now = new Date(realTimeMs());
  if (status === 'valid') return { $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] };
  if (status === 'expired') return { expiresAt: { $lte: now }, revokedAt: null };
  return status === 'revoked' ? { revokedAt: { $ne: null } } : {};
}

/** All keys that the account ever had in the mode, newest first. */
export function listApiKeys(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof ApiKeyListQuery>,
): Promise<Page<ApiKeyView>> {
  const viewAll = async (rows: readonly { id: string }[]) => {
    const keys = await readKeys(
      deps.pool,
      scope,
      rows.map(({ id }) => id),
    );
    return keys.map(viewKey);
  };
  const options = { query, where: inStatus(query.status), url: '/api/v1/api_keys', viewAll };
  return listPage({ deps, scope }, ApiKeySchema, options);
}

/** Changes what was named; the others keep. */
export function updateApiKey(
  deps: Deps,
  scope: Scope,
  id: string,
  { name, networks }: z.output<typeof ApiKeyUpdate>,
): Promise<ApiKeyView> {
  return deps.transaction(scope, async (tx) => {
    const caller = await lockAsCaller(tx);
    const key = await keyIn(tx, scope, id);
    const wanted = networks === undefined ? undefined : storedNetworks(networks);
    if (wanted !== undefined) refuseOtherNetworks(caller, wanted);
    return tx.answer(viewKey(await changeKeyTerms(tx, key, { name, networks: wanted })));
  });
}

/** Puts another key in the place of one. */
export function rollApiKey(
  deps: Deps,
  scope: Scope,
  { id, hours = ROLL_HOURS_DEFAULT }: { id: string; hours?: number | undefined },
): Promise<ApiKeyView> {
  return deps.transaction(scope, async (tx) => {
    const caller = await lockAsCaller(tx);
    const former = await keyIn(tx, scope, id);
    refuseMore(caller, former);
    return answerIssued(tx, await succeedKey(tx, former, { hours, until: caller?.expiresAt ?? null }));
  });
}

/** Ends a key at once. A repeat after a lost answer finds it ended, and so did what was asked for. */
export function revokeApiKey(deps: Deps, scope: Scope, id: string): Promise<ApiKeyView> {
  return deps.transaction(scope, async (tx) => {
    await lockAsCaller(tx);
    const key = await keyIn(tx, scope, id);
    return viewKey(key.isOver ? key : await endKeyNow(tx, key, { evenLast: false }));
  });
}
