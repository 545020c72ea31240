import type { ChangeInput, ChangePreview } from '../../contract/subscription-changes.ts';
import { readBilledPrices } from '../catalog/lookup.ts';
import { readIn } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { askedOf, billsOf, type CycleBill, pricesIn, readBills } from './changes/asked.ts';
import { withGivenBack } from './changes/given-back.ts';
import { toldItems } from './changes/items.ts';
import { isReplaced } from './changes/later.ts';
import { itemsOfChange } from './changes/pending.ts';
import { planChange } from './changes/plan.ts';
import { isInvoiced, moneyOf, type NewPeriod, type PlannedChange } from './changes/planned.ts';
import type { WaitingChange } from './changes/scheduled.ts';
import type { PendingItem } from './decide.ts';
import type { AskedItem } from './entity.ts';
import { readContracted } from './list.ts';
import type { Contracted } from './rows.ts';
import { previewBill, readPending } from './upcoming.ts';
import { viewChangedItems } from './view.ts';

interface Previewed {
  readonly planned: PlannedChange;
  readonly asked: AskedItem[];
  readonly bills: { readonly ahead: CycleBill | null };
  readonly pending: readonly PendingItem[];
}

/** What would wait for its cycle with the change. */
function laterOf(
  { scheduled: { later } }: Contracted,
  { effective, effectiveAt: created, cycle, after }: PlannedChange,
  asked: AskedItem[],
): WaitingChange[] {
  if (cycle === null) return [...later];
  const change = { effective, cycle, asked, created };
  const kept = later.filter((one) => !isReplaced(change)(one.change));
  const place = (one: WaitingChange): number => one.change.cycle ?? 0;
  return [...kept, { change, prices: after.map(({ price }) => price) }].toSorted((a, b) => place(a) - place(b));
}

/** The bill that is made next with the change: anew where one was made ahead and is open. */
function previewNext(
  contracted: Contracted,
  { planned, asked, bills, pending }: Previewed,
): ChangePreview['next_invoice'] {
  const { subscription } = contracted;
  const { ahead } = bills;
  const isAnew = ahead?.isOpen === true && (planned.cycle ?? 0) <= subscription.billedCycle;
  const waiting = isAnew ? withGivenBack(pending, ahead) : pending;
  const period =
    ahead?.periodStart == null || ahead.periodEnd == null ? null : { start: ahead.periodStart, end: ahead.periodEnd };
  const added = isInvoiced(planned)
    ? []
    : itemsOfChange(contracted, planned, period).map((item) => ({
        ...{ ...item, id: '', amount: item.unitAmount, used: 0 },
      }));
  const { cycle, after: items, anew } = planned;
  if (anew !== null) return previewAfter(contracted, { planned, anew, waiting });
  return previewBill(
    {
      ...contracted,
      items: cycle === null ? items : contracted.items,
      scheduled: { later: laterOf(contracted, planned, asked) },
    },
    {
      cycle: (isAnew ? subscription.cycle : subscription.billedCycle) + 1,
      bill: subscription.bills + (isAnew ? 0 : 1),
      pending: [...waiting, ...added],
    },
  );
}

/** The bill behind the one that a change of the interval is paid by. */
function previewAfter(
  contracted: Contracted,
  { planned, anew, waiting }: { planned: PlannedChange; anew: NewPeriod; waiting: readonly PendingItem[] },
): ChangePreview['next_invoice'] {
  const { total } = moneyOf(planned);
  const { cycle, period } = anew;
  const items = itemsOfChange(contracted, planned, null).flatMap((item) =>
    item.type === 'charge' || total >= 0 ? [] : [{ ...item, id: '', unitAmount: -total, amount: -total, used: 0 }],
  );
  const subscription = {
    ...contracted.subscription,
    ...{ cycle, billingCycleAnchor: period.start, anchorCycle: cycle, currentPeriodEnd: period.end },
  };
  return previewBill(
    { ...contracted, subscription, items: planned.after },
    { cycle: cycle + 1, bill: anew.bill + 1, pending: [...waiting, ...items] },
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
  const money = moneyOf(planned);
  const view: ChangePreview = {
    object: 'change_preview',
    ...money,
    due_now: isInvoiced(planned) ? money.total : 0,
    effective: planned.effective,
    effective_at: planned.effectiveAt,
    items: viewChangedItems(toldItems(planned.after)),
    live_mode: liveMode,
    next_invoice: previewNext(contracted, { planned, asked, bills, pending: await readPending(deps, scope, id) }),
    penalty: planned.penalty,
    proration: planned.proration,
    subscription: id,
  };
  return deps.transaction(scope, async (tx) => tx.answer(view));
}
