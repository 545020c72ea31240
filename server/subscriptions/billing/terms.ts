import { collectionColumns } from '../../accounts/collection.ts';
import { RECURRING_PRICE_COLUMNS, type RecurringPrice } from '../../catalog/lookup.ts';
import { statement } from '../../db/statement.ts';
import type { Tx } from '../../deps.ts';
import { missing } from '../../kernel/errors.ts';
import type { ChargedCard } from '../../payments/attempts.ts';
import type { AccountOfBank } from '../../payments/bank.ts';
import type { CollectionDays } from '../collection/rules.ts';
import type { Subscription } from '../entity.ts';
import { adoptLocked, type Contracted, subscriptionColumns } from '../rows.ts';

/** Whom a renewal bills, how its account collects, and the card that is charged. */
export interface RenewalTerms extends CollectionDays, AccountOfBank {
  readonly customerName: string;
  readonly customerEmail: string | null;
  readonly cardInstallmentsEnabled: boolean;
  readonly maxCardInstallments: number;
  readonly card: ChargedCard | null;
}

interface TermsRow extends Omit<RenewalTerms, 'card'> {
  paymentMethodId: string | null;
  token: string | null;
  brand: ChargedCard['brand'] | null;
  last4: string | null;
}

const TERMS = `SELECT u.name AS "customerName", u.email AS "customerEmail", a.name, a.city, ${collectionColumns},
     q.card_installments_enabled AS "cardInstallmentsEnabled", q.max_card_installments AS "maxCardInstallments",
     m.id AS "paymentMethodId", m.token, m.brand, m.last4
   FROM customer u CROSS JOIN account a CROSS JOIN price q LEFT JOIN payment_method m ON m.id = s.payment_method_id
   WHERE u.id = s.customer_id AND a.id = s.account_id AND q.id = s.price_id`;

/** Everything that a renewal needs, in one round trip and under the subscription's lock. */
const lockStatement = statement(
  'lock_renewal',
  `SELECT ${subscriptionColumns('s')}, (SELECT row_to_json(terms) FROM (${TERMS}) terms) AS terms,
     (SELECT row_to_json(price) FROM (SELECT ${RECURRING_PRICE_COLUMNS} FROM price q JOIN product t ON t.id = q.product_id
        WHERE q.id = s.price_id) price) AS price
   FROM subscription s WHERE s.id = $1 AND s.account_id = $2 AND s.live_mode = $3 FOR UPDATE OF s`,
);

interface LockedRow extends Subscription {
  terms: TermsRow;
  price: RecurringPrice;
}

/** The subscription until the transaction ends, with all that a renewal of it needs. */
export async function lockRenewal(tx: Tx, id: string): Promise<{ contracted: Contracted; terms: RenewalTerms }> {
  const [row] = await tx.query<LockedRow>(lockStatement, [id, tx.scope.accountId, tx.scope.liveMode]);
  if (row === undefined) throw missing('subscription', id);
  const { terms, price, ...subscription } = row;
  return { contracted: adoptLocked(tx, { subscription, price }), terms: termsOf(terms) };
}

function termsOf({ paymentMethodId, token, brand, last4, ...terms }: TermsRow): RenewalTerms {
  const isKept = paymentMethodId !== null && token !== null && brand !== null && last4 !== null;
  return { ...terms, card: isKept ? { paymentMethodId, token, brand, last4 } : null };
}
