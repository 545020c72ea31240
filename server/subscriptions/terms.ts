import { openedCustomer } from '../customers/personal.ts';
import { keyed } from '../db/statement.ts';
import { hasPendingItems } from '../invoice-items/pending.ts';
import type { Cents } from '../kernel/money.ts';
import type { ChargedCard } from '../payments/card/attempts.ts';
import { joinCard } from '../payments/card/stored.ts';
import { openedToken } from '../payments/intents/rows.ts';
import type { SecretBox } from '../sealing/secret-box.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { type Beside, besideOf, type Contracted, knowBeside, subscriptions } from './rows.ts';
import { renewalInstallments } from './rules.ts';

/** Whom a renewal bills, and the card that is charged. */
export interface RenewalTerms {
  readonly customerName: string;
  readonly customerEmail: string | null;
  readonly cardInstallmentsEnabled: boolean;
  readonly maxCardInstallments: number;
  readonly card: ChargedCard | null;
  /** Whether charges or credits wait for its next bill. */
  readonly hasPending: boolean;
}

/** Whom a bill of a subscription is for. */
export const billedTo = (
  { customerId: id }: { readonly customerId: string },
  { customerName: name, customerEmail: email }: Pick<RenewalTerms, 'customerName' | 'customerEmail'>,
) => ({ id, name, email });

interface TermsRow extends Omit<RenewalTerms, 'card' | 'customerName' | 'customerEmail'> {
  id: string;
  accountId: string;
  personal: Buffer | null;
  paymentMethodId: string | null;
  sealedToken: Buffer | null;
  brand: ChargedCard['brand'] | null;
  last4: string | null;
  origin: string | null;
  items: Beside['items'];
  credit: Beside['credit'];
  waiting: Beside['waiting'];
}

const termsStatement = keyed<TermsRow & { key: string }>(
  'read_renewal_terms',
  (isAsked) => `SELECT s.id AS key, u.id, u.account_id AS "accountId", u.personal,
     q.card_installments_enabled AS "cardInstallmentsEnabled", q.max_card_installments AS "maxCardInstallments",
     m.id AS "paymentMethodId", m.sealed_token AS "sealedToken", m.brand, m.last4, m.network_origin AS origin,
     ${hasPendingItems('s')} AS "hasPending", ${besideOf('s')}
   FROM subscription s JOIN customer u ON u.id = s.customer_id
   JOIN subscription_term f ON f.subscription_id = s.id AND f.seq = s.term_seq AND f.position = 0 JOIN price q ON q.id = f.price_id
   ${joinCard('s', 'm')}
   WHERE ${isAsked('s.id')}`,
);

/** In how many parts a renewal is charged: those of the first payment, as far as the price of its first item still allows. */
export function installmentsOf(
  { subscription, items: [{ price }] }: Contracted,
  terms: RenewalTerms,
  total: Cents,
): number {
  const { interval, intervalCount } = price;
  return renewalInstallments(subscription.installments, { ...terms, recurrence: { interval, intervalCount } }, total);
}

/** The subscription until the transaction ends, with all that a renewal of it needs, in one round trip. */
export async function lockRenewal(tx: Tx, id: string): Promise<{ contracted: Contracted; terms: RenewalTerms }> {
  // Two statements: what is read behind the lock is what its former holder committed, such as another card.
  const [subscription, row] = await Promise.all([tx.lock(subscriptions, id), tx.find(termsStatement, id)]);
  if (row === undefined) throw new Error(`the subscription ${id} has no terms`);
  const { items, credit, waiting, ...terms } = row;
  return {
    contracted: { subscription, ...(await knowBeside(tx, id, { items, credit, waiting })) },
    terms: termsOf(terms, tx.secretBox),
  };
}

function termsOf(row: Omit<TermsRow, keyof Beside>, box: SecretBox): RenewalTerms {
  const {
    accountId,
    paymentMethodId: id,
    brand,
    last4,
    origin,
    cardInstallmentsEnabled,
    maxCardInstallments,
    hasPending,
  } = row;
  const { name: customerName, email: customerEmail } = openedCustomer(row, box);
  const token = id === null ? null : openedToken({ ...row, id, accountId }, box).token;
  const isKept = id !== null && token !== null && brand !== null && last4 !== null;
  const card = isKept ? { paymentMethodId: id, token, brand, last4, origin } : null;
  return { customerName, customerEmail, cardInstallmentsEnabled, maxCardInstallments, card, hasPending };
}
