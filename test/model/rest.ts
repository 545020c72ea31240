import { byCard, cards } from '../support/cards.ts';
import type { Run } from './run.ts';
import type { Stage } from './stage.ts';
import { isPayable, standingOf } from './standing.ts';

const DAY_SECONDS = 86_400;
/** Longer than any deadline of a charge, and than a key is held. */
const REAL_SECONDS = 120;
/** A surplus that the bank refused goes back within two. */
const DAYS_MAX = 8;

/** Lets everything come to its end: no troubles, time passes, the worker works until nothing is left to do. */
export async function comeToRest(run: Run, stage: Stage): Promise<void> {
  for (let days = 0; days < DAYS_MAX; days += 1) {
    await stage.bank.receivesDelayed();
    if (!(await stage.worker.turn({ isAllDue: true }))) break;
    stage.api.clock.advance(DAY_SECONDS);
    await stage.passRealTime(REAL_SECONDS);
  }
  await run.look(stage, { what: 'everything comes to rest', of: null, touches: 'all' });
  run.settled();
}

/** Nothing that went before stands in the way of an invoice that is to be paid. */
export async function payWhatIsOpen(run: Run, stage: Stage): Promise<void> {
  for (const [of, id] of run.invoices.entries()) {
    if (!isPayable(standingOf(run.books(of)))) continue;
    await stage.client(null).invoices.checkout(id, byCard(cards.approved));
    await run.look(stage, {
      what: `${id} is paid in the end`,
      of,
      touches: 'one',
      judge: ({ after }) => (standingOf(after).settledBy === 'card' ? [] : ['it takes no payment any more']),
    });
  }
}
