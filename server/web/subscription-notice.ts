import type { Every } from '../../web/page/page-data.ts';
import { spoken } from '../../web/page/spoken.ts';
import type { Language, Worded } from '../../web/page/texts.ts';
import { acrossAccounts } from '../db/statement.ts';
import { BASIS_POINTS_IN_PERCENT } from '../kernel/money.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Items } from '../subscriptions/decide.ts';
import type { Subscription } from '../subscriptions/entity.ts';
import { type Bound, penaltyAt, penaltyOnceBegun, type Termed, termEnd } from '../subscriptions/penalty.ts';
import { itemsOf, subscriptions } from '../subscriptions/rows.ts';
import { everyOf } from './purchase.ts';

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

function formulaOf({ penaltyType, penaltyValue }: Termed): Worded {
  const value = penaltyValue ?? 0;
  const { pt, en } = spoken;
  if (penaltyType === 'declining_amount')
    return {
      pt: `${pt.money(value)}, menos o tempo já cumprido`,
      en: `${en.money(value)}, less the time already served`,
    };
  const percentage = value / BASIS_POINTS_IN_PERCENT;
  return {
    pt: `${pt.percentage(percentage)} das cobranças que faltarem`,
    en: `${en.percentage(percentage)} of the charges that are left`,
  };
}

/** What a buyer is bound to: how long, by which formula, and what an end would cost today; null: to nothing. */
export function termNotice(bound: Bound, now: Timestamp): Worded | null {
  const { subscription } = bound;
  const { termCycles } = subscription;
  if (termCycles == null || subscription.status === 'inactive') return null;
  const [{ price }] = bound.items;
  const end = termEnd(bound);
  const whole = everyOf({ ...price, intervalCount: price.intervalCount * termCycles });
  const today = end === null ? penaltyOnceBegun(bound, now) : penaltyAt(bound, now);
  const formula = formulaOf(subscription);
  const { pt, en } = spoken;
  return {
    pt: `${end === null ? `Fidelidade de ${lengthOf('pt', whole)} a partir do pagamento` : `Fidelidade até ${pt.date(end)}`}. Encerrar antes custa ${formula.pt}: hoje seriam ${pt.money(today)}.`,
    en: `${end === null ? `Minimum term of ${lengthOf('en', whole)} from the payment on` : `Minimum term until ${en.date(end)}`}. An earlier end costs ${formula.en}: today that would be ${en.money(today)}.`,
  };
}

/** `1 mês`, `12 meses`: a term is told in the months that it was sold in. */
function lengthOf(language: Language, { interval, count }: Every): string {
  const { texts } = spoken[language];
  return count === 1 ? `1 ${texts.period({ interval, count })}` : texts.several({ interval, count });
}

function pauseNotice({ status, resumesAt }: NoticedRow): Worded | null {
  if (status !== 'paused') return null;
  const { pt, en } = spoken;
  return {
    pt: `Sua assinatura está pausada: nada é renovado até ela ${resumesAt == null ? 'ser retomada' : `voltar, em ${pt.date(resumesAt)}`}.`,
    en: `Your subscription is paused: nothing renews until it ${resumesAt == null ? 'is resumed' : `comes back, on ${en.date(resumesAt)}`}.`,
  };
}

/** What the page of a subscription, or of its bill, tells beside the money. */
export function noticeOf(row: NoticedRow | undefined, now: Timestamp): Worded | null {
  if (row === undefined) return null;
  return joined([pauseNotice(row), termNotice({ subscription: row, items: row.items }, now)]);
}

/** Some sentences as one; null: there are none. */
export function joined(told: readonly (Worded | null)[]): Worded | null {
  const sentences = told.filter((sentence) => sentence !== null);
  if (sentences.length === 0) return null;
  return { pt: sentences.map(({ pt }) => pt).join(' '), en: sentences.map(({ en }) => en).join(' ') };
}
