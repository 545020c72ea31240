import type { Buyer } from '../customers/customers.ts';
import { emailIndexOf } from '../customers/personal.ts';
import { mine, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { DAY, type Timestamp } from '../kernel/time.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';

/** A link that asks to confirm an address is good for so long (docs/product/mail.md#an-address-that-its-buyer-typed). */
export const CONFIRMABLE_FOR = 7 * DAY;

const insertTyped = statement(
  'insert_typed_email',
  `INSERT INTO typed_email (id, account_id, live_mode, created, email_index, asked_at)
   SELECT id, :accountId, :liveMode, created, decode("emailIndex", 'hex'), "askedAt"
   FROM json_to_recordset(:rows::json) AS t(id text, created bigint, "emailIndex" text, "askedAt" bigint)`,
);

/** An address that was typed in this transaction, as it is inserted with the commit. */
interface NewlyTyped {
  readonly id: string;
  readonly created: Timestamp;
  readonly emailIndex: string;
  askedAt: Timestamp | null;
}

const newlyTyped = (tx: Tx, customerId: string, typed: NewlyTyped | null = null): Promise<NewlyTyped | null> =>
  tx.once(`typed address of ${customerId}`, async () => typed);

/** Remembers that the address of a new customer was typed on a page: it may be somebody else's. */
export async function rememberTyped(tx: Tx, { id, email }: Buyer): Promise<void> {
  if (email === null) return;
  const emailIndex = emailIndexOf(tx.secretBox, tx.scope, email).toString('hex');
  tx.writeRow(insertTyped, await newlyTyped(tx, id, { id, created: tx.now, emailIndex, askedAt: null }));
}

interface TypedEmail {
  emailIndex: Buffer | null;
  isConfirmed: boolean;
}

/** Whoever paid has proven more than a confirmation does. */
const readTyped = statement<TypedEmail>(
  'read_typed_email',
  `SELECT t.email_index AS "emailIndex", t.confirmed_at IS NOT NULL OR EXISTS(
     SELECT FROM invoice i WHERE i.customer_id = t.id AND ${mine('i')} AND i.amount_paid > 0) AS "isConfirmed"
   FROM typed_email t WHERE t.id = :customerId AND ${mine('t')}`,
);

/** SQL: whoever reads what is sent to an address was asked lately, as one customer or another. */
const ASKED = (emailIndex: string): string =>
  `EXISTS(SELECT FROM typed_email o WHERE o.email_index = ${emailIndex} AND ${mine('o')} AND o.asked_at > :since)`;

/** Of several that would ask the same address at once, one does. */
const markAsked = statement<{ id: string }>(
  'mark_typed_email_asked',
  `UPDATE typed_email t SET asked_at = :now WHERE t.id = :customerId AND ${mine('t')} AND t.asked_at IS NULL
     AND NOT ${ASKED('t.email_index')}
   RETURNING t.id`,
);

const findAsked = statement<{ isAsked: boolean }>(
  'find_asked_email',
  `SELECT ${ASKED(`decode(:emailIndex, 'hex')`)} AS "isAsked"`,
);

/** What may be written to a buyer: anything, the one letter that asks to confirm the address, or nothing. */
export type Welcome = 'any' | 'confirmation' | 'none';

/** Who is told `confirmation` writes that letter: nobody is told so again. */
export async function welcomeOf(
  tx: Tx,
  { customerId, email }: { readonly customerId: string; readonly email: string },
): Promise<Welcome> {
  const added = await newlyTyped(tx, customerId);
  if (added !== null) return welcomeToNew(tx, added);
  const [typed] = await tx.query(readTyped, { customerId });
  if (typed === undefined || typed.isConfirmed) return 'any';
  const index = emailIndexOf(tx.secretBox, tx.scope, email);
  // The merchant has given another address since.
  if (typed.emailIndex !== null && !typed.emailIndex.equals(index)) return 'any';
  const asked = await tx.query(markAsked, { customerId, now: tx.now, since: tx.now - CONFIRMABLE_FOR });
  return asked.length > 0 ? 'confirmation' : 'none';
}

/** A free subscription begins with what its buyer types: the first letter asks, like a later one. */
async function welcomeToNew(tx: Tx, typed: NewlyTyped): Promise<Welcome> {
  const { emailIndex } = typed;
  const [found] = await tx.query(findAsked, { emailIndex, since: tx.now - CONFIRMABLE_FOR });
  if (typed.askedAt !== null || found?.isAsked === true) return 'none';
  typed.askedAt = tx.now;
  return 'confirmation';
}

const confirm = statement(
  'confirm_typed_email',
  `UPDATE typed_email t SET confirmed_at = :now
   WHERE t.id = :customerId AND ${mine('t')} AND t.confirmed_at IS NULL AND t.asked_at > :since`,
);

/** Whoever reads what is sent to the address says so. Again, or too late, it changes nothing. */
export const confirmEmail = (deps: Deps, scope: Scope, customerId: string): Promise<void> =>
  deps.transaction(scope, async (tx) => {
    await tx.query(confirm, { customerId, now: tx.now, since: tx.now - CONFIRMABLE_FOR });
  });

/** Of an anonymized customer: when it was asked, and when it answered. */
export const eraseTyped = statement(
  'erase_typed_email',
  `UPDATE typed_email t SET email_index = NULL, asked_at = NULL, confirmed_at = NULL WHERE t.id = :customerId AND ${mine('t')}`,
);
