import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { OperationName } from '../../contract/roles.ts';
import { acrossAccounts, run } from '../db/statement.ts';
import type { AccountTerms, RefundBound } from '../kernel/account.ts';
import { briefly } from '../kernel/brief-cache.ts';
import { BillingError } from '../kernel/errors.ts';
import { type Mode, modeNotServed } from '../kernel/mode.ts';
import type { KeyReads } from './api-keys.ts';
import type { AccountLimits } from './entity.ts';
import { apiKeyHash, faultOfKey, modeOfKey } from './keys.ts';
import { createNetworkTest } from './networks.ts';
import { accountTerms } from './scope.ts';

/** Who a request speaks for. */
export interface Identity {
  readonly keyId: string;
  readonly accountId: string;
  readonly liveMode: boolean;
  readonly scope: 'full' | 'read';
  /** How fresh its lists are; absent: they show what is there. */
  readonly reads?: KeyReads;
  readonly limits: AccountLimits;
  readonly account: AccountTerms;
  /** The person of the dashboard whose session it is; absent: an API key speaks. */
  readonly person?: PersonIdentity;
}

export interface PersonIdentity {
  readonly id: string;
  readonly name: string;
  readonly operation: OperationName;
  readonly refunds: RefundBound;
}

/** The same, with what lets its requests in. */
export interface Authenticated extends Identity {
  /** The key whose count of requests this one goes on with: a roll doubles no limit. */
  readonly bucket: string;
  /** Whether the key may be used from an address. */
  readonly isAllowedFrom: (address: string | undefined) => boolean;
}

interface KeyRow extends Omit<Authenticated, 'isAllowedFrom'> {
  readonly networks: readonly string[];
  readonly expired: boolean;
  readonly revoked: boolean;
}

const findKey = acrossAccounts<KeyRow>(
  'find_api_key',
  `SELECT k.id AS "keyId", k.account_id AS "accountId", k.live_mode AS "liveMode", k.scope, k.reads, a.limits, ${accountTerms({ accountId: 'k.account_id', liveMode: 'k.live_mode' })},
     coalesce(k.bucket, k.id) AS bucket, k.networks::text[] AS networks,
     coalesce(k.expires_at <= now(), false) AS expired, k.revoked_at IS NOT NULL AS revoked
   FROM api_key k JOIN account a ON a.id = k.account_id WHERE k.key_hash = :hash`,
);

/** A rolled-out key must be refused within a second in every process (docs/product/requests.md#api-keys). */
const CACHE_MS = 900;
const CACHE_KEYS_MAX = 10_000;

/** The scheme of an Authorization header is read whatever its case (RFC 9110). */
const HEADER = /^ApiKey +(\S{1,200})$/i;

/**
 * Turns an Authorization header into an identity; throws the 401 it deserves (docs/product/requests.md#api-keys). A key that was
 * never found to exist is looked up only after `admitLookup`, which throws where too many of the kind came.
 */
export type Authenticate = (header: string | undefined, admitLookup: () => void) => Promise<Authenticated>;

/** Why a key was not let in, or not to where it asked; an operator sees how often (docs/operations.md#metrics). */
export const keyRefusals = [
  'missing',
  'invalid',
  'expired',
  'revoked',
  'mode',
  'wrong_network',
  'plain_http',
  'scope',
] as const;

export type KeyRefusal = (typeof keyRefusals)[number];

type Known = Authenticated & Pick<KeyRow, 'expired' | 'revoked'>;

export function createAuthenticate(
  pool: pg.Pool,
  { modes, refused }: { modes: readonly Mode[]; refused: (reason: KeyRefusal) => void },
): Authenticate {
  // The index compares hashes: how long it takes says nothing of a key.
  // Remembered by the hash, too: no key stays in memory behind its request.
  const load = async (hash: string): Promise<Known | null> => {
    const [row] = await run(pool, findKey, { hash: Buffer.from(hash, 'hex') });
    if (row === undefined) return null;
    const { networks, ...known } = row;
    return { ...known, isAllowedFrom: createNetworkTest(networks) };
  };
  const find = briefly(load, { ms: CACHE_MS, max: CACHE_KEYS_MAX, keeps: (row) => row !== null });

  const found = new LRUCache<string, true>({ max: CACHE_KEYS_MAX });

  const lookUp = async (key: string, admitLookup: () => void): Promise<Known | null> => {
    const hash = apiKeyHash(key).toString('hex');
    if (!found.has(hash)) admitLookup();
    const row = await find(hash);
    if (row !== null) found.set(hash, true);
    return row;
  };

  return async (header, admitLookup) => {
    const key = header === undefined ? undefined : HEADER.exec(header)?.[1];
    if (key === undefined) {
      refused('missing');
      const message = 'Send the API key as the header `Authorization: ApiKey <API_KEY>`, without blanks in it';
      throw new BillingError('API_KEY_MISSING', { message });
    }
    const fault = faultOfKey(key);
    // The database login may not reach the other mode, so nobody asks whether the key exists.
    if (fault === null && !modes.includes(modeOfKey(key))) {
      refused('mode');
      throw modeNotServed(modes);
    }
    const known = fault === null ? await lookUp(key, admitLookup) : null;
    if (known === null) {
      refused('invalid');
      throw new BillingError('API_KEY_INVALID', { message: fault ?? 'No such API key' });
    }
    const { expired, revoked, ...identity } = known;
    if (!expired) return identity;
    refused(revoked ? 'revoked' : 'expired');
    const why = revoked ? 'was revoked' : 'ran out';
    throw new BillingError('API_KEY_EXPIRED', { message: `The API key ${why} and is no longer valid` });
  };
}
