import { recurrenceName } from '../catalog/rules.ts';
import { acrossAccounts } from '../db/statement.ts';
import { civilDate, inReais } from '../kernel/brazil.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Items } from '../subscriptions/decide.ts';
import type { Subscription } from '../subscriptions/entity.ts';
import { type Bound, penaltyAt, penaltyOnceBegun, type Termed, termEnd } from '../subscriptions/penalty.ts';
import { itemsOf, subscriptions } from '../subscriptions/rows.ts';

/** A subscription that a page tells something of. */
export interface NoticedRow extends Subscription {
  items: Items;
}

const NOTICED = `${subscriptions.columns('s')}, ${itemsOf('s')} AS items FROM subscription s`;

export const readNoticed = acrossAccounts<NoticedRow>(
  'read_noticed_subscription',
  `SELECT ${NOTICED} WHERE s.id = :id`,
);

export const readNoticedOfInvoice = acrossAccounts<NoticedRow>(
  'read_noticed_subscription_of_invoice',
  `SELECT ${NOTICED} WHERE s.id = (SELECT i.subscription_id FROM invoice i WHERE i.id = :invoiceId)`,
);

const BASIS_POINTS_IN_PERCENT = 100;

function formulaOf({ penaltyType, penaltyValue }: Termed): string {
  const value = penaltyValue ?? 0;
  if (penaltyType === 'declining_amount') return `${inReais(value)}, menos o tempo já cumprido`;
  return `${(value / BASIS_POINTS_IN_PERCENT).toLocaleString('pt-BR')}% das cobranças que faltarem`;
}

/** What a buyer is bound to: how long, by which formula, and what an end would cost today; null: to nothing. */
export function termNotice(bound: Bound, now: Timestamp): string | null {
  const { subscription } = bound;
  const { termCycles } = subscription;
  if (termCycles == null || subscription.status === 'inactive') return null;
  const [{ price }] = bound.items;
  const end = termEnd(bound);
  const lasts =
    end === null
      ? `Fidelidade de ${lengthOf({ ...price, intervalCount: price.intervalCount * termCycles })} a partir do pagamento`
      : `Fidelidade até ${civilDate(end)}`;
  const today = end === null ? penaltyOnceBegun(bound, now) : penaltyAt(bound, now);
  return `${lasts}. Encerrar antes custa ${formulaOf(subscription)}: hoje seriam ${inReais(today)}.`;
}

const lengthOf = (recurrence: Parameters<typeof recurrenceName>[0]): string =>
  recurrence.intervalCount === 1 ? `1 ${recurrenceName(recurrence)}` : recurrenceName(recurrence);

function pauseNotice({ status, resumesAt }: NoticedRow): string | null {
  if (status !== 'paused') return null;
  const until = resumesAt == null ? 'ser retomada' : `voltar, em ${civilDate(resumesAt)}`;
  return `Sua assinatura está pausada: nada é renovado até ela ${until}.`;
}

/** What the page of a subscription, or of its bill, tells beside the money. */
export function noticeOf(row: NoticedRow | undefined, now: Timestamp): string | null {
  if (row === undefined) return null;
  return (
    [pauseNotice(row), termNotice({ subscription: row, items: row.items }, now)]
      .filter((sentence) => sentence !== null)
      .join(' ') || null
  );
}
