import type { ChangeInput, SubscriptionChange as ChangeView } from '../../contract/subscription-changes.ts';
import { findBilledPrices } from '../catalog/lookup.ts';
import type { Deps } from '../deps.ts';
import { addInvoiceItem, tellInvoiceItem } from '../invoice-items/pending.ts';
import type { Invoice } from '../invoices/entity.ts';
import { BillingError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { type Book, paymentConfirmed } from '../payments/intents/book.ts';
import { type EndedQrs, endingQrs, type QrsInTheWay } from '../payments/pix/ending.ts';
import { hook } from '../unit-of-work/hooks.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { lockAhead, withdraw } from './billing/ahead.ts';
import {
  answerFormer,
  askForPayment,
  beginFree,
  lapsesAt,
  type MadeChange,
  seeChangeThrough,
} from './change-invoice.ts';
import { askedOf, billsOf, pricesIn, readBills } from './changes/asked.ts';
import { toldItems } from './changes/items.ts';
import { isReplaced } from './changes/later.ts';
import { itemsOfChange } from './changes/pending.ts';
import { planChange } from './changes/plan.ts';
import { isInvoiced, moneyOf, type PlannedChange } from './changes/planned.ts';
import { addScheduled, cancelScheduled } from './changes/scheduled.ts';
import type { AskedItem, Subscription, SubscriptionChange } from './entity.ts';
import { firstBillAnew, issueAnew } from './first-bill.ts';
import { type Contracted, changeItems, changes, lockSubscription } from './rows.ts';
import { type Period, RENEWAL_TOLD_AHEAD } from './rules.ts';
import { viewChange, viewSubscription } from './view.ts';

/** May refuse that what a subscription bills changes before its first payment. */
export const beforeFirstChanged = hook<(tx: Tx, subscription: Subscription) => Promise<void>>('beforeFirstChanged');

/** Changes what a subscription bills, at once, once it is paid or with its next cycle (docs/product/subscriptions.md#changes). */
export async function changeSubscription(
  deps: Deps,
  scope: Scope,
  { id, ...input }: ChangeInput & { id: string },
): Promise<ChangeView> {
  const former = scope.idempotency?.formerAttempt ?? null;
  if (former !== null) return answerFormer(deps, scope, former);
  const made = await endingQrs(deps, scope, {
    of: id,
    change: (tx, ended) => changeIn(tx, { id, input, ended }),
    whenPaid: paymentConfirmed,
    whenSilent: 'change',
  });
  return seeChangeThrough(deps, scope, made);
}

async function changeIn(
  tx: Tx,
  { id, input, ended }: { id: string; input: ChangeInput; ended: EndedQrs },
): Promise<MadeChange | QrsInTheWay> {
  const contracted = await lockSubscription(tx, id);
  const { cycle } = contracted.subscription;
  const [prices, bills] = await Promise.all([
    findBilledPrices(tx, pricesIn(input.items)),
    tx.query(readBills, { id, cycle }),
  ]);
  const asked = askedOf(input.items, () => newId('si'));
  const planned = planChange(contracted, { ...input, asked, prices, now: tx.now, ...billsOf(bills, cycle) });
  refuseOutdated(input, planned);
  if (contracted.subscription.status === 'pending')
    for (const guard of tx.reactionsAt(beforeFirstChanged)) await guard(tx, contracted.subscription);
  // A bill that was made ahead stays where it bills no cycle of the change.
  const isBilled = (planned.cycle ?? 0) <= contracted.subscription.billedCycle;
  const ahead = isBilled ? await lockAhead(tx, contracted) : null;
  const inTheWay = ahead === null ? null : withdraw(tx, contracted, { ahead, ended });
  if (inTheWay !== null) return inTheWay;
  const first = contracted.subscription.status === 'pending' ? (ahead?.invoice ?? null) : null;
  return applyPlanned(tx, contracted, {
    planned,
    asked,
    penalty: input.penalty ?? null,
    first,
    ahead: periodOf(ahead),
  });
}

function refuseOutdated({ expected_total: expected }: ChangeInput, planned: PlannedChange): void {
  const { total } = moneyOf(planned);
  if (expected === undefined || expected === total) return;
  throw new BillingError('PREVIEW_OUTDATED', {
    message: `the change comes to ${total} cents by now, not to ${expected}`,
    param: 'expected_total',
  });
}

function periodOf(bill: Book | null): Period | null {
  const { periodStart: start, periodEnd: end } = bill?.invoice ?? {};
  return start == null || end == null ? null : { start, end };
}

interface Applied {
  readonly planned: PlannedChange;
  readonly asked: AskedItem[];
  readonly penalty: NonNullable<SubscriptionChange['penalty']> | null;
  /** The bill that waited for the first payment, and is void. */
  readonly first: Invoice | null;
  /** The next period, where that was billed ahead. */
  readonly ahead: Period | null;
}

/** A change waits for its payment or for its cycle, or holds at once. */
async function applyPlanned(tx: Tx, contracted: Contracted, applied: Applied): Promise<MadeChange> {
  const { planned, ahead } = applied;
  if (isInvoiced(planned)) {
    const lapses = { invoiceId: newId('in'), lapsesAt: lapsesAt(tx, contracted) };
    const change = insertChange(tx, contracted, applied, {
      status: 'awaiting_payment',
      ...lapses,
      periodNet: planned.current?.net ?? null,
      aheadNet: planned.ahead?.net ?? null,
    });
    return askForPayment(tx, contracted, { change, planned, ahead });
  }
  if (planned.anew !== null) {
    const change = insertChange(tx, contracted, applied, { status: 'applied', invoiceId: newId('in') });
    return beginFree(tx, contracted, { change, planned, ahead });
  }
  if (planned.cycle === null) {
    const change = insertChange(tx, contracted, applied, { status: 'applied' });
    await holdNow(tx, contracted, applied);
    return { change: tx.answer(viewChange(change)), opened: null };
  }
  await cancelScheduled(tx, contracted, isReplaced({ effective: planned.effective, cycle: planned.cycle }));
  const change = insertChange(tx, contracted, applied, { status: 'scheduled' });
  addScheduled(contracted, { change, prices: planned.after.map(({ price }) => price) });
  // What is nearer was told when it was asked for.
  const { currentPeriodEnd: end } = contracted.subscription;
  if (end != null && tx.now < end - RENEWAL_TOLD_AHEAD) contracted.subscription.tellsRenewal = true;
  tx.record('subscription.change_scheduled', viewSubscription(tx, contracted));
  return { change: tx.answer(viewChange(change)), opened: null };
}

type Waits = Pick<SubscriptionChange, 'status'> &
  Partial<Pick<SubscriptionChange, 'invoiceId' | 'lapsesAt' | 'periodNet' | 'aheadNet'>>;

function insertChange(
  tx: Tx,
  { subscription }: Contracted,
  { planned, asked, penalty }: Applied,
  waits: Waits,
): SubscriptionChange {
  const { charge, credit } = moneyOf(planned);
  return tx.insert(changes, {
    id: newId('chg'),
    subscriptionId: subscription.id,
    effective: planned.effective,
    effectiveAt: planned.effectiveAt,
    cycle: planned.cycle,
    proration: planned.proration,
    asked,
    penalty,
    itemsBefore: toldItems(planned.before),
    itemsAfter: toldItems(planned.after),
    charge,
    credit,
    ...waits,
  });
}

/** The new terms hold at once; what the rest of the period comes to waits for the next bill, and a first bill is made anew. */
async function holdNow(tx: Tx, contracted: Contracted, { planned, ahead, first }: Applied): Promise<void> {
  const { subscription, credit } = contracted;
  const items = itemsOfChange(contracted, planned, ahead).map((item) => addInvoiceItem(tx, item));
  if (planned.current !== null) subscription.periodNet = planned.current.net;
  if (planned.ahead !== null) subscription.aheadNet = planned.ahead.net;
  for (const { type, amount } of items) if (type === 'credit') credit.left += amount;
  const changed = await changeItems(tx, contracted, { items: planned.after });
  const bill = first === null ? null : await firstBillAnew(tx, changed, first);
  tx.record('subscription.changed', viewSubscription(tx, changed));
  if (bill !== null) await issueAnew(tx, changed, bill);
  for (const item of items) tellInvoiceItem(tx, item);
}
