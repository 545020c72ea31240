import type {
  ChangeInput,
  ChangePreview,
  SubscriptionChange as ChangeView,
} from '../../contract/subscription-changes.ts';
import { findBilledPrices, readBilledPrices } from '../catalog/lookup.ts';
import { readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { addInvoiceItem, tellInvoiceItem } from '../invoice-items/pending.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { type Book, paymentConfirmed } from '../payments/intents/book.ts';
import { type EndedQrs, endingQrs, type QrsInTheWay } from '../payments/pix/ending.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { lockAhead, withdraw } from './billing/ahead.ts';
import { type Took, withGivenBack } from './changes/given-back.ts';
import { toldItems } from './changes/items.ts';
import { itemsOfChange } from './changes/pending.ts';
import { type KnownBill, moneyOf, type PlannedChange, planChange } from './changes/plan.ts';
import { cancelScheduled } from './changes/scheduled.ts';
import type { PendingItem } from './decide.ts';
import type { AskedItem } from './entity.ts';
import { readContracted } from './list.ts';
import { type Contracted, changeItems, changes, lockSubscription } from './rows.ts';
import { previewBill, readPending } from './upcoming.ts';
import { viewChange, viewChangedItems, viewSubscription } from './view.ts';

interface CycleBill extends KnownBill, Took {
  cycle: number;
  isOpen: boolean;
  periodStart: number | null;
  periodEnd: number | null;
}

const readBills = statement<CycleBill>(
  'read_bills_of_change',
  `SELECT i.cycle, i.status = 'paid' AS "isPaid", i.status = 'open' AS "isOpen", i.bill_number AS number,
     i.period_start AS "periodStart", i.period_end AS "periodEnd", i.line_items AS "lineItems", i.credits FROM invoice i
   WHERE i.subscription_id = :id AND i.cycle >= :cycle AND NOT i.superseded`,
);

/** The bills of the current period and of the next one. */
const billsOf = (
  rows: readonly CycleBill[],
  cycle: number,
): { current: CycleBill | null; ahead: CycleBill | null } => ({
  current: rows.find((row) => row.cycle === cycle) ?? null,
  ahead: rows.find((row) => row.cycle > cycle) ?? null,
});

const askedOf = (items: ChangeInput['items'], mint: () => string | null): AskedItem[] =>
  items.map(({ item, price_id: priceId, quantity, removed }) => ({
    item: item ?? null,
    newItem: item === undefined ? mint() : null,
    priceId: priceId ?? null,
    quantity: quantity ?? null,
    isRemoved: removed === true,
  }));

const pricesIn = (items: ChangeInput['items']): string[] => [
  ...new Set(items.flatMap(({ price_id: priceId }) => priceId ?? [])),
];

/** Changes what a subscription bills, at once or with its next cycle (docs/product/subscriptions.md#changes). */
export const changeSubscription = (
  deps: Deps,
  scope: Scope,
  { id, ...input }: ChangeInput & { id: string },
): Promise<ChangeView> =>
  endingQrs(deps, scope, {
    of: id,
    change: (tx, ended) => changeIn(tx, { id, input, ended }),
    whenPaid: paymentConfirmed,
    whenSilent: 'change',
  });

async function changeIn(
  tx: Tx,
  { id, input, ended }: { id: string; input: ChangeInput; ended: EndedQrs },
): Promise<ChangeView | QrsInTheWay> {
  const contracted = await lockSubscription(tx, id);
  const { cycle } = contracted.subscription;
  const [prices, bills] = await Promise.all([
    findBilledPrices(tx, pricesIn(input.items)),
    tx.query(readBills, { id, cycle }),
  ]);
  const asked = askedOf(input.items, () => newId('si'));
  const planned = planChange(contracted, { ...input, asked, prices, now: tx.now, ...billsOf(bills, cycle) });
  refuseOutdated(input, planned);
  const ahead = await lockAhead(tx, contracted);
  const inTheWay = ahead === null ? null : withdraw(tx, contracted, { ahead, ended });
  if (inTheWay !== null) return inTheWay;
  return tx.answer(await applyPlanned(tx, contracted, { planned, asked, ahead }));
}

function refuseOutdated({ expected_total: expected }: ChangeInput, planned: PlannedChange): void {
  const { total } = moneyOf(planned);
  if (expected === undefined || expected === total) return;
  throw new BillingError('PREVIEW_OUTDATED', {
    message: `the change comes to ${total} cents by now, not to ${expected}`,
    param: 'expected_total',
  });
}

interface Applied {
  readonly planned: PlannedChange;
  readonly asked: AskedItem[];
  readonly ahead: Book | null;
}

async function applyPlanned(tx: Tx, contracted: Contracted, applied: Applied): Promise<ChangeView> {
  const { subscription } = contracted;
  const { planned, asked } = applied;
  const { charge, credit } = moneyOf(planned);
  if (planned.cycle !== null) await cancelScheduled(tx, contracted);
  const change = tx.insert(changes, {
    id: newId('chg'),
    subscriptionId: subscription.id,
    status: planned.cycle === null ? 'applied' : 'scheduled',
    effective: planned.effective,
    effectiveAt: planned.effectiveAt,
    cycle: planned.cycle,
    proration: planned.proration,
    asked,
    itemsBefore: toldItems(planned.before),
    itemsAfter: toldItems(planned.after),
    charge,
    credit,
  });
  if (planned.cycle === null) await holdNow(tx, contracted, applied);
  else {
    const prices = planned.after.map(({ price }) => price);
    contracted.scheduled.next = { change, prices };
    tx.record('subscription.change_scheduled', viewSubscription(tx, contracted));
  }
  return viewChange(change);
}

/** The new terms hold at once; what the rest of the period comes to waits for the next bill. */
async function holdNow(tx: Tx, contracted: Contracted, { planned, ahead }: Applied): Promise<void> {
  const { subscription, credit } = contracted;
  const { periodStart: start, periodEnd: end } = ahead?.invoice ?? {};
  const period = start == null || end == null ? null : { start, end };
  const items = itemsOfChange(contracted, planned, period).map((item) => addInvoiceItem(tx, item));
  if (planned.current !== null) subscription.periodNet = planned.current.net;
  if (planned.ahead !== null) subscription.aheadNet = planned.ahead.net;
  for (const { type, amount } of items) if (type === 'credit') credit.left += amount;
  const changed = await changeItems(tx, contracted, { items: planned.after });
  tx.record('subscription.changed', viewSubscription(tx, changed));
  for (const item of items) tellInvoiceItem(tx, item);
}

/** Takes back a change that waits; a bill that was made ahead with it is made anew. */
export const cancelChange = (
  deps: Deps,
  scope: Scope,
  { id, changeId }: { id: string; changeId: string },
): Promise<ChangeView> =>
  endingQrs(deps, scope, {
    of: id,
    change: async (tx, ended): Promise<ChangeView | QrsInTheWay> => {
      const contracted = await lockSubscription(tx, id);
      const change = await tx.lock(changes, changeId);
      if (change.subscriptionId !== id) throw missing('subscription change', changeId);
      if (change.status === 'canceled') return viewChange(change);
      if (change.status !== 'scheduled')
        throw new BillingError('INVALID_STATE', {
          message: `${changeId} is ${change.status}: it cannot be taken back`,
        });
      const ahead = await lockAhead(tx, contracted);
      if (ahead?.invoice.status === 'paid')
        throw new BillingError('INVALID_STATE', { message: `${changeId} is paid for by ${ahead.invoice.id}` });
      const inTheWay = ahead === null ? null : withdraw(tx, contracted, { ahead, ended });
      if (inTheWay !== null) return inTheWay;
      await cancelScheduled(tx, contracted);
      tx.record('subscription.updated', viewSubscription(tx, contracted));
      return tx.answer(viewChange(change));
    },
    whenPaid: paymentConfirmed,
    whenSilent: 'change',
  });

interface Previewed {
  readonly planned: PlannedChange;
  readonly asked: AskedItem[];
  readonly bills: { readonly ahead: CycleBill | null };
  readonly pending: readonly PendingItem[];
}

/** The bill that is made next with the change: anew where one was made ahead and is open. */
function previewNext(
  contracted: Contracted,
  { planned, asked, bills, pending }: Previewed,
): ChangePreview['next_invoice'] {
  const { subscription, scheduled } = contracted;
  const { ahead } = bills;
  const isAnew = ahead?.isOpen === true;
  const waiting = isAnew ? withGivenBack(pending, ahead) : pending;
  const period =
    ahead?.periodStart == null || ahead.periodEnd == null ? null : { start: ahead.periodStart, end: ahead.periodEnd };
  const added = itemsOfChange(contracted, planned, period).map((item) => ({
    ...{ ...item, id: '', amount: item.unitAmount, used: 0 },
  }));
  const { cycle, after: items } = planned;
  const next =
    cycle === null
      ? scheduled.next
      : { change: { cycle, asked, created: planned.effectiveAt }, prices: items.map(({ price }) => price) };
  return previewBill(
    { ...contracted, items: cycle === null ? items : contracted.items, scheduled: { next } },
    {
      cycle: (isAnew ? subscription.cycle : subscription.billedCycle) + 1,
      bill: subscription.bills + (isAnew ? 0 : 1),
      pending: [...waiting, ...added],
    },
  );
}

/** What a change would come to now, and the next bill with it: decided as the change itself. It writes nothing but the answer of an Idempotency-Key. */
export async function previewChange(
  deps: Deps,
  scope: Scope,
  { id, ...input }: ChangeInput & { id: string },
): Promise<ChangePreview> {
  const contracted = await readContracted(deps, scope, id);
  const { cycle, liveMode } = contracted.subscription;
  const [prices, rows] = await Promise.all([
    readBilledPrices(deps.pool, scope, pricesIn(input.items)),
    readIn(deps.pool, scope, readBills, { id, cycle }),
  ]);
  const asked = askedOf(input.items, () => null);
  const bills = billsOf(rows, cycle);
  const planned = planChange(contracted, { ...input, asked, prices, now: deps.clock.now(scope), ...bills });
  const view: ChangePreview = {
    object: 'change_preview',
    ...moneyOf(planned),
    due_now: 0,
    effective: planned.effective,
    effective_at: planned.effectiveAt,
    items: viewChangedItems(toldItems(planned.after)),
    live_mode: liveMode,
    next_invoice: previewNext(contracted, { planned, asked, bills, pending: await readPending(deps, scope, id) }),
    proration: planned.proration,
    subscription: id,
  };
  return deps.transaction(scope, async (tx) => tx.answer(view));
}
