import { collectionColumns } from '../../accounts/collection.ts';
import { statement } from '../../db/statement.ts';
import type { Tx } from '../../deps.ts';
import type { ChargedCard } from '../../payments/attempts.ts';
import type { AccountOfBank } from '../../payments/bank.ts';
import type { CollectionDays } from '../collection/rules.ts';

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

const termsStatement = statement(
  'read_renewal_terms',
  `SELECT u.name AS "customerName", u.email AS "customerEmail", a.name, a.city, ${collectionColumns},
     q.card_installments_enabled AS "cardInstallmentsEnabled", q.max_card_installments AS "maxCardInstallments",
     m.id AS "paymentMethodId", m.token, m.brand, m.last4
   FROM subscription s JOIN customer u ON u.id = s.customer_id JOIN account a ON a.id = s.account_id
   JOIN price q ON q.id = s.price_id LEFT JOIN payment_method m ON m.id = s.payment_method_id
   WHERE s.id = $1`,
);

/** Read behind the lock of the subscription. */
export async function readTerms(tx: Tx, subscriptionId: string): Promise<RenewalTerms> {
  const [row] = await tx.query<TermsRow & Record<string, unknown>>(termsStatement, [subscriptionId]);
  if (row === undefined) throw new Error(`the subscription ${subscriptionId} has no terms`);
  const { paymentMethodId, token, brand, last4, ...terms } = row;
  const isKept = paymentMethodId !== null && token !== null && brand !== null && last4 !== null;
  return { ...terms, card: isKept ? { paymentMethodId, token, brand, last4 } : null };
}
