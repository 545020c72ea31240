import type { LateFees } from '../../contract/late-fees.ts';
import type { SessionSubscriptionInput } from '../../contract/subscription-inputs.ts';
import type { Worded } from '../../web/page/texts.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { SoldItem } from '../subscriptions/create.ts';
import type { Items } from '../subscriptions/decide.ts';
import type { SubscriptionDiscount } from '../subscriptions/discounts.ts';
import { storedTerm, type Termed } from '../subscriptions/penalty.ts';
import { firstBillAt, storedTrial } from '../subscriptions/trial.ts';
import { lateNotice } from './late-notice.ts';
import type { FoundPurchase } from './purchase.ts';
import { joined, type NoticedRow, noticeOf, termNotice } from './subscription-notice.ts';

/** What a session sells by subscription, and the subscription once its buyer is known. */
interface Beginning {
  readonly terms: SessionSubscriptionInput;
  readonly sold: readonly SoldItem[];
  readonly discounts: readonly SubscriptionDiscount[];
  readonly subscription: NoticedRow | undefined;
}

/** A subscription as its terms would have it begin. */
function planned({ terms, discounts }: Beginning, now: Timestamp): Termed {
  const { minimum_term: term } = terms;
  return {
    ...{ status: 'pending', billingCycleAnchor: now, anchorCycle: 1, cycle: 0, billedCycle: 0, bills: 0, discounts },
    ...(term !== undefined && storedTerm(term)),
  };
}

/** What a subscription would bill each cycle. */
export function plannedItems({ sold }: Pick<Beginning, 'sold'>, now: Timestamp): Items | null {
  const [first, ...more] = sold.map((item) => ({ ...item, id: '', created: now }));
  return first === undefined ? null : [first, ...more];
}

/** What binds its buyer; told before anything is paid. */
function noticeBefore(beginning: Beginning, now: Timestamp): Worded | null {
  if (beginning.subscription !== undefined) return noticeOf(beginning.subscription, now);
  const items = plannedItems(beginning, now);
  return items === null ? null : termNotice({ subscription: planned(beginning, now), items }, now);
}

/** When the first bill comes of what a session sells. */
function dueAtOf({ terms: { trial, start_date: startsAt }, subscription }: Beginning, now: Timestamp): Timestamp {
  if (subscription !== undefined) return firstBillAt(subscription, now);
  const status = startsAt === undefined ? 'pending' : 'scheduled';
  return firstBillAt({ status, startsAt, ...storedTrial(trial) }, now);
}

type Shown = Pick<FoundPurchase, 'notice'> & Partial<Pick<FoundPurchase, 'isChargedLater' | 'cardFor' | 'dueAt'>>;

/** What the page of a session says of a subscription of which nothing is charged today. */
export function showBeginning(
  beginning: Beginning,
  { now, lateFees }: { now: Timestamp; lateFees: LateFees | null },
): Shown {
  const { terms } = beginning;
  const notice = joined([noticeBefore(beginning, now), lateNotice(terms.late_fees ?? lateFees)]);
  if (terms.trial === undefined && terms.start_date === undefined) return { notice };
  const takesCard = terms.trial?.requires_payment_method !== false;
  return {
    notice,
    isChargedLater: true,
    dueAt: dueAtOf(beginning, now),
    ...(takesCard && { cardFor: terms.start_date === undefined ? 'trial' : 'later' }),
  };
}
