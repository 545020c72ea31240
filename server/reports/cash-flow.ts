import type { CashFlowReport, ReportQuery } from '../../contract/reports.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { periodOf, rowOf, valuesOf, within } from './period.ts';

/** Ways in which money comes and goes. */
type Flow = 'pix' | 'card' | 'surplus_received' | 'refunded' | 'surplus_returned' | 'disputed' | 'reinstated';

interface Moved {
  readonly row: number;
  readonly flow: Flow;
  readonly amount: number;
  readonly count: number;
}

/** Sums of rows by a way, each in the row of its instant. */
const moved = (from: string, { flow, amount, instant }: Record<'flow' | 'amount' | 'instant', string>): string =>
  `SELECT ${rowOf(instant)} AS "row", ${flow} AS flow, sum(${amount})::bigint AS amount, count(*) AS count
   FROM ${from} AND ${within(instant)} GROUP BY 1, 2`;

const readMoved = statement<Moved>(
  'report_cash_flow',
  [
    moved(`payment_intent p WHERE ${mine('p')}`, {
      flow: `CASE WHEN p.surplus THEN 'surplus_received' ELSE p.payment_method_type END`,
      amount: 'p.amount',
      instant: 'p.paid_at',
    }),
    moved(`refund_part r WHERE ${mine('r')} AND r.status = 'refunded'`, {
      flow: `CASE WHEN r.reason = 'surplus' THEN 'surplus_returned' ELSE 'refunded' END`,
      amount: 'r.amount',
      instant: 'r.completed_at',
    }),
    ...(['withdrawn', 'reinstated'] as const).map((funds) =>
      moved(`dispute d WHERE ${mine('d')}`, {
        flow: funds === 'withdrawn' ? `'disputed'` : `'reinstated'`,
        amount: 'd.amount',
        instant: `d.${funds}_at`,
      }),
    ),
  ].join(' UNION ALL '),
);

type Figures = CashFlowReport['totals'];

function figuresOf(all: readonly Moved[]): Figures {
  const sum = (flow: Flow, what: 'amount' | 'count'): number =>
    all.reduce((total, one) => (one.flow === flow ? total + one[what] : total), 0);
  const counted = (flow: Flow) => ({ amount: sum(flow, 'amount'), count: sum(flow, 'count') });
  const [pix, card] = [counted('pix'), counted('card')];
  const [refunded, disputed, reinstated] = [counted('refunded'), counted('disputed'), counted('reinstated')];
  const [extra, returned] = [sum('surplus_received', 'amount'), sum('surplus_returned', 'amount')];
  const total = pix.amount + card.amount;
  return {
    received: { pix: pix.amount, card: card.amount, total, count: pix.count + card.count },
    refunded,
    disputed,
    reinstated,
    surplus_received: extra,
    surplus_returned: returned,
    net: total + extra + reinstated.amount - refunded.amount - returned - disputed.amount,
  };
}

/** Money by the instant that it came and went (docs/product/reports.md#cash-flow). */
export async function reportCashFlow(deps: Deps, scope: Scope, query: ReportQuery): Promise<CashFlowReport> {
  const period = periodOf(query);
  const found = await readIn(deps.pool, scope, readMoved, valuesOf(period));
  const byRow = Map.groupBy(found, ({ row }) => row);
  return {
    object: 'cash_flow_report',
    from: query.from,
    until: query.until,
    by: period.by,
    rows: period.rows.map((days, at) => ({ ...days, ...figuresOf(byRow.get(at + 1) ?? []) })),
    totals: figuresOf(found),
    live_mode: scope.liveMode,
  };
}
