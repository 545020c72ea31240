import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import {
  PORTAL_EXPIRES_IN_DEFAULT,
  type PortalLinkInput,
  type PortalLink as PortalLinkView,
} from '../../contract/portal.ts';
import { type ScopeRow, scopeColumns, scopeOf } from '../accounts/scope.ts';
import { lockCustomer } from '../customers/customers.ts';
import type { Customer } from '../customers/entity.ts';
import { acrossAccounts, mine, run, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { deleteSome, inBatches } from '../jobs/batched-delete.ts';
import { isLive, type Mode } from '../kernel/mode.ts';
import { realTime, type Timestamp } from '../kernel/time.ts';
import type { SecretBox } from '../sealing/secret-box.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';

const SECRET_BYTES = 32;
/** As the keys of the API say their mode: a process that does not serve it refuses the link without a look at its data. */
const SANDBOX_MARK = 'sandbox_';
const SECRET = /^(?:sandbox_)?[\w-]{43}$/;

/** The mode of whoever a secret is of; null: no secret is of this form. */
export function modeOfSecret(secret: string): Mode | null {
  if (!SECRET.test(secret)) return null;
  return secret.startsWith(SANDBOX_MARK) ? 'sandbox' : 'live';
}

const hashOf = (box: SecretBox, secret: string): Buffer => box.fingerprint(['portal-link', secret]);

/** What requests by a secret are counted under, which does not tell it. */
export const secretKey = (box: SecretBox, secret: string): string => hashOf(box, secret).toString('base64url');

const insertLink = statement(
  'insert_portal_link',
  `INSERT INTO portal_link (secret_hash, account_id, live_mode, customer_id, return_url, expires_at)
   VALUES (:hash, :accountId, :liveMode, :customerId, :returnUrl, to_timestamp(:expiresAt))`,
);

interface Wanted {
  readonly customerId: string;
  readonly returnUrl: string | null;
  readonly expiresIn: number;
}

/** Makes a link with the commit, for a customer that the transaction holds; nobody can be told it again. */
export function makePortalLink(
  tx: Tx,
  { customerId, returnUrl, expiresIn }: Wanted,
): { readonly url: string; readonly expiresAt: Timestamp } {
  const mark = tx.scope.liveMode ? '' : SANDBOX_MARK;
  const secret = mark + randomBytes(SECRET_BYTES).toString('base64url');
  const expiresAt = realTime() + expiresIn;
  tx.write(insertLink, { hash: hashOf(tx.secretBox, secret), customerId, returnUrl, expiresAt });
  return { url: tx.links.portal(secret), expiresAt };
}

/** Makes a link to the page of a customer (docs/product/portal.md#a-link-of-the-merchant). */
export const createPortalLink = (
  deps: Deps,
  scope: Scope,
  { customerId, input }: { customerId: string; input: PortalLinkInput },
): Promise<PortalLinkView> =>
  deps.transaction(scope, async (tx) => {
    await lockCustomer(tx, customerId);
    const { return_url: returnUrl = null, expires_in: expiresIn = PORTAL_EXPIRES_IN_DEFAULT } = input;
    const { url, expiresAt } = makePortalLink(tx, { customerId, returnUrl, expiresIn });
    return tx.answer({ object: 'portal_link', customer: customerId, url, expires_at: expiresAt });
  });

/** Whoever holds a link, and in whose account and mode. */
export interface PortalVisitor {
  readonly customerId: string;
  readonly returnUrl: string | null;
  readonly scope: Scope;
}

const readLink = acrossAccounts<ScopeRow & Omit<PortalVisitor, 'scope'>>(
  'read_portal_link',
  `SELECT ${scopeColumns('l')}, l.customer_id AS "customerId", l.return_url AS "returnUrl"
   FROM portal_link l JOIN account a ON a.id = l.account_id
   WHERE l.secret_hash = :hash AND l.live_mode = :isLive AND l.expires_at > now()`,
);

/** Who may act by a secret; null: nobody, or not any more. */
export async function findVisitor(
  { pool, secretBox }: Pick<Deps, 'pool' | 'secretBox'>,
  { secret, mode }: { secret: string; mode: Mode },
): Promise<PortalVisitor | null> {
  const [row] = await run(pool, readLink, { hash: hashOf(secretBox, secret), isLive: isLive(mode) });
  if (row === undefined) return null;
  const { customerId, returnUrl } = row;
  return { customerId, returnUrl, scope: scopeOf(row) };
}

const endLinks = statement(
  'end_portal_links',
  `DELETE FROM portal_link l WHERE ${mine('l')} AND l.customer_id = :customerId`,
);

/** Nobody sees or does anything any more for a customer that is anonymized. */
export async function endPortalLinks(tx: Tx, { id: customerId }: Customer): Promise<void> {
  await tx.query(endLinks, { customerId });
}

const removeEnded = acrossAccounts('remove_ended_portal_links', deleteSome('portal_link', 'expires_at < now()'));

/** Removes links that have ended, and answers how many. */
export const removeEndedPortalLinks = (pool: pg.Pool, told: () => void): Promise<number> =>
  inBatches(() => {
    told();
    return run(pool, removeEnded, []);
  });
