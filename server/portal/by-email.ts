import { type ScopeRow, scopeColumns, scopeOf } from '../accounts/scope.ts';
import { lockCustomer } from '../customers/customers.ts';
import { emailIndexOf } from '../customers/personal.ts';
import { acrossAccounts, run } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { isLive } from '../kernel/mode.ts';
import { HOUR } from '../kernel/time.ts';
import { wordsOfPortalLink } from '../mail/portal-words.ts';
import { queueToBuyer } from '../mail/queue.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { makePortalLink } from './links.ts';

/** For so long a link that was mailed opens the page. */
const MAILED_FOR = HOUR;
/** Accounts whose hashes of an address are looked for at once. */
const ACCOUNTS_AT_ONCE = 1_000;
/** Letters for one address, the newest customers first. */
const LETTERS_MAX = 20;

const listAccounts = acrossAccounts<{ id: string }>(
  'list_accounts_for_portal',
  `SELECT a.id FROM account a WHERE a.id > :after ORDER BY a.id LIMIT ${ACCOUNTS_AT_ONCE}`,
);

/** Customers with an address that the merchant gave, that its reader confirmed, or who have paid (docs/product/mail.md#an-address-that-its-buyer-typed). */
const findKnown = acrossAccounts<ScopeRow & { id: string }>(
  'find_customers_for_portal',
  `SELECT u.id, ${scopeColumns('u')} FROM customer u JOIN account a ON a.id = u.account_id
   WHERE u.email_index = ANY (:indexes::bytea[]) AND u.anonymized_at IS NULL AND NOT EXISTS (
     SELECT FROM typed_email t WHERE t.id = u.id AND t.email_index = u.email_index AND t.confirmed_at IS NULL
       AND NOT EXISTS (SELECT FROM invoice i WHERE i.customer_id = u.id AND i.amount_paid > 0))
   ORDER BY u.id DESC LIMIT ${LETTERS_MAX}`,
);

type Known = Pick<ScopeRow, 'accountId' | 'liveMode'> & { readonly id: string; readonly scope: Scope };

/** Account and mode are in the hash of an address, so that equal customers of two merchants do not show as equal: each is hashed for. */
async function customersOf({ pool, secretBox, settings: { modes } }: Deps, email: string): Promise<Known[]> {
  const known: Known[] = [];
  let after = '';
  for (;;) {
    const accounts = await run(pool, listAccounts, { after });
    const indexes = accounts.flatMap(({ id: accountId }) =>
      modes.map((mode) => emailIndexOf(secretBox, { accountId, liveMode: isLive(mode) }, email)),
    );
    const found = indexes.length === 0 ? [] : await run(pool, findKnown, { indexes });
    known.push(...found.map((row) => ({ ...row, scope: scopeOf(row) })));
    after = accounts.at(-1)?.id ?? after;
    if (accounts.length < ACCOUNTS_AT_ONCE) break;
  }
  return known.toSorted((one, other) => (one.id < other.id ? 1 : -1)).slice(0, LETTERS_MAX);
}

/** One letter with one link, if the customer still has the address. */
const writeLink = (deps: Deps, { id: customerId, scope }: Known, email: string): Promise<void> =>
  deps.transaction(scope, async (tx) => {
    const buyer = await lockCustomer(tx, customerId);
    if (buyer.email?.toLowerCase() !== email.toLowerCase()) return;
    const { url } = makePortalLink(tx, { customerId, returnUrl: null, expiresIn: MAILED_FOR });
    await queueToBuyer(tx, {
      about: { customerId },
      occasion: 'portal_link',
      recipient: buyer.email,
      name: buyer.name,
      words: wordsOfPortalLink(url),
    });
  });

/** Writes to whoever reads an address a link of each merchant that knows it; answers how many (docs/product/portal.md#by-e-mail). */
export async function mailPortalLinks(deps: Deps, email: string): Promise<number> {
  const known = await customersOf(deps, email);
  for (const customer of known)
    await writeLink(deps, customer, email).catch((error: unknown) =>
      // One whose account moves its clock, or that was anonymized meanwhile, keeps no other from its letter.
      deps.logger.warn({ err: error, account: customer.accountId }, 'a link of the portal was not written'),
    );
  return known.length;
}
