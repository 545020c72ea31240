import type pg from 'pg';
import { acrossAccounts, run } from '../db/statement.ts';
import type { AccountTerms } from '../kernel/account.ts';
import { briefly } from '../kernel/brief-cache.ts';
import { BillingError } from '../kernel/errors.ts';
import type { AccountLimits } from './entity.ts';
import { apiKeyHash, isApiKeyForm } from './keys.ts';
import { ACCOUNT_TERMS } from './scope.ts';

/** Who a request speaks for. */
export interface Identity {
  readonly keyId: string;
  readonly accountId: string;
  readonly liveMode: boolean;
  readonly scope: 'full' | 'read';
  readonly limits: AccountLimits;
  readonly account: AccountTerms;
}

interface KeyRow extends Identity {
  readonly expired: boolean;
}

const findKey = acrossAccounts<KeyRow>(
  'find_api_key',
  `SELECT k.id AS "keyId", k.account_id AS "accountId", k.live_mode AS "liveMode", k.scope, a.limits, ${ACCOUNT_TERMS},
     coalesce(k.expires_at <= now(), false) AS expired
   FROM api_key k JOIN account a ON a.id = k.account_id WHERE k.key_hash = :hash`,
);

/** A rolled-out key must be refused within a second in every process (docs/product/requests.md#api-keys). */
const CACHE_MS = 900;
const CACHE_KEYS_MAX = 10_000;

/** The scheme of an Authorization header is read whatever its case (RFC 9110). */
const HEADER = /^ApiKey +(\S{1,200})$/i;

/** Turns an Authorization header into an identity; throws the 401 it deserves (docs/product/requests.md#api-keys). */
export type Authenticate = (header: string | undefined) => Promise<Identity>;

export function createAuthenticate(pool: pg.Pool): Authenticate {
  const load = async (key: string): Promise<KeyRow | null> =>
    (await run(pool, findKey, { hash: apiKeyHash(key) }))[0] ?? null;
  const known = briefly(load, { ms: CACHE_MS, max: CACHE_KEYS_MAX, keeps: (row) => row !== null });

  return async (header) => {
    const key = header === undefined ? undefined : HEADER.exec(header)?.[1];
    if (key === undefined) {
      throw new BillingError('API_KEY_MISSING', {
        message: 'Send the API key as the header `Authorization: ApiKey <API_KEY>`',
      });
    }
    const row = isApiKeyForm(key) ? await known(key) : null;
    if (row === null) throw new BillingError('API_KEY_INVALID', { message: 'No such API key' });
    const { expired, ...identity } = row;
    if (expired)
      throw new BillingError('API_KEY_EXPIRED', { message: 'The API key was rolled and is no longer valid' });
    return identity;
  };
}
