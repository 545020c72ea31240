import { FaturaError, type Subscription } from '@fatura/sdk';
import { expect, test } from 'vitest';
import { run } from '../../server/db/statement.ts';
import type { BankCall, Trouble } from '../../server/payments/acquirer/sandbox/behaviour.ts';
import { performDue } from '../../server/subscriptions/billing/due.ts';
import { performStep } from '../../server/subscriptions/collection/step.ts';
import { caseSteps, type PlainCase } from '../../workflows/steps.ts';
import { MandateScene } from '../api/subscriptions/mandates/mandate-scene.ts';
import { newCustomer } from '../support/factories.ts';
import type { FailpointName } from '../support/failpoints.ts';
import { ownStatement } from '../support/statements.ts';
import { subscribeByMandate } from '../support/subscriptions.ts';
import { randomOf } from './seeds.ts';

/** Renewals that are billed before it ends. */
const CYCLES = Number(process.env.CYCLES ?? 10_000);
const SUBSCRIPTIONS = 50;
const TEST_MS = 3_600_000;
const DAY = 86_400;
const TRIES_MAX = 50;
const RETRY_SECONDS = 40;
const PERCENT = 100;

// No worker takes what is left to the cycles of subscriptions: this test does.
const scene = new MandateScene({ patienceSeconds: TEST_MS / 1_000 });

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
const below = randomOf(seed);
const chance = (percent: number): boolean => below(PERCENT) < percent;
const oneOf = <T>(all: readonly T[]): T => {
  const one = all[below(all.length)];
  if (one === undefined) throw new Error('there is nothing to choose from');
  return one;
};

const calls: readonly BankCall[] = [
  ...(['placeMandate', 'createMandate', 'findMandate', 'cancelMandate'] as const),
  ...(['instruct', 'findDebit', 'cancelDebit', 'retryDebit', 'createPix', 'findPix', 'expirePix'] as const),
];
const troubles: readonly Trouble[] = ['unreachable', 'request_lost', 'answer_lost', 'fault'];
const steps: readonly FailpointName[] = [
  ...(['debit.after-asking', 'debit.after-cancelling', 'debit.after-instructing'] as const),
  ...(['debit.before-asking', 'debit.before-instructing'] as const),
  ...(['mandate.after-looking', 'mandate.after-making', 'mandate.after-placing', 'mandate.after-telling'] as const),
  ...(['settlement.before-settle', 'settlement.after-settle', 'ending.after-acquirer'] as const),
];

/** What the next work may meet: a bank in trouble, a process that dies, or nothing. */
function trouble(): void {
  scene.bank.recovers();
  if (chance(10)) scene.bank.meets(oneOf(calls), oneOf(troubles));
  if (chance(5)) scene.failpoints.crashAt(oneOf(steps));
}

// What falls due

interface Due extends Record<string, unknown> {
  readonly source: 'step' | 'cycle';
  readonly id: string;
  readonly at: number;
}

const firstDue = ownStatement(
  'test_first_due_of_account',
  `SELECT source, id, at FROM (
     SELECT 'step' AS source, i.id, i.step_at AS at, 1 AS rank FROM invoice i WHERE i.account_id = $1 AND i.step_at IS NOT NULL
     UNION ALL SELECT 'cycle', s.id, s.due_at, 2 FROM subscription s WHERE s.account_id = $1 AND s.due_at IS NOT NULL) AS due
   ORDER BY at, rank, id LIMIT 1`,
);

/** Does a thing as often as it takes: whoever died at it is replaced, and the bank's trouble passes. */
async function perform({ source, id }: Due): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    trouble();
    try {
      await (source === 'step' ? performStep(scene.deps, id) : performDue(scene.deps, id));
      return;
    } catch (error) {
      if (tries === TRIES_MAX) throw error;
      scene.api.clock.advance(RETRY_SECONDS);
    }
  }
}

// Cases

const takeWork = ownStatement(
  'test_take_work_of_cycles',
  'DELETE FROM outbox WHERE account_id = $1 AND kind = ANY ($2) RETURNING kind, key',
);

interface Case {
  readonly kind: PlainCase;
  readonly key: string;
  dueAt: number;
}
const cases = new Map<string, Case>();

/** Looks at every case of the account that is due. */
async function lookAtCases(): Promise<void> {
  const { pool } = scene.deps;
  const taken = await run<{ kind: PlainCase; key: string }>(pool, takeWork, [
    scene.merchant.accountId,
    Object.keys(caseSteps),
  ]);
  for (const { kind, key } of taken) cases.set(`${kind} ${key}`, { kind, key, dueAt: scene.now() });
  for (const [name, one] of cases) {
    if (one.dueAt > scene.now()) continue;
    trouble();
    try {
      const step = await caseSteps[one.kind](scene.deps, one.key);
      if (step.done) cases.delete(name);
      else one.dueAt = scene.now() + step.dueInSeconds;
    } catch {
      one.dueAt = scene.now() + RETRY_SECONDS;
    }
  }
}

// What people do

/** A request that may be refused, or lose its process. */
async function attempt(request: () => Promise<unknown>): Promise<void> {
  trouble();
  try {
    await request();
  } catch (error) {
    if (!(error instanceof FaturaError)) throw error;
  }
}

const firstOf = async (sql: string): Promise<Record<string, string> | null> =>
  ((await scene.rows(sql, scene.merchant.accountId))[0] as Record<string, string> | undefined) ?? null; // all columns are texts

const outcomes = ['insufficient', 'insufficient', 'insufficient', 'limit', 'account_closed', 'expired'] as const;

async function refuseADebit(): Promise<void> {
  const found = await firstOf(
    `SELECT id FROM payment_intent WHERE account_id = $1 AND status = 'scheduled' ORDER BY md5(id || ${below(PERCENT)}) LIMIT 1`,
  );
  if (found !== null) await attempt(() => scene.decide(found.id ?? '', oneOf(outcomes)));
}

async function endAMandate(): Promise<void> {
  const found = await firstOf(
    `SELECT id FROM mandate WHERE account_id = $1 AND status = 'active' ORDER BY md5(id || ${below(PERCENT)}) LIMIT 1`,
  );
  if (found === null) return;
  const id = found.id ?? '';
  const { testHelpers, mandates } = scene.fatura;
  await attempt(() => (chance(50) ? testHelpers.mandates.cancel(id, { by: 'payer' }) : mandates.cancel(id)));
}

/** Pays an open bill, by the plain code or by one that brings a mandate. */
async function payABill(which: string): Promise<void> {
  const found = await firstOf(
    `SELECT i.id FROM invoice i JOIN subscription s ON s.id = i.subscription_id
     WHERE i.account_id = $1 AND i.status = 'open' AND ${which} ORDER BY i.id LIMIT 1`,
  );
  if (found === null) return;
  const id = found.id ?? '';
  const type = chance(70) ? 'pix_automatico' : 'pix';
  await attempt(() => scene.fatura.invoices.checkout(id, { payment_method_type: type }));
  const { payment_intent: intent } = await scene.invoice(id);
  if (intent !== null)
    await attempt(() => scene.fatura.testHelpers.paymentIntents.payPix(intent, { scenario: 'paid' }));
}

async function act(): Promise<void> {
  if (chance(4)) await refuseADebit();
  if (chance(1)) await endAMandate();
  if (chance(1)) await payABill('true');
  // Whoever has no debit pays by the code that came.
  if (chance(60)) await payABill('s.mandate_id IS NULL');
  if (chance(20)) await payABill(`i.due_at < ${scene.now() - 8 * DAY}`);
}

// The books

const cyclesBilled = async (): Promise<number> =>
  Number(
    (
      await firstOf(
        `SELECT count(*)::text AS n FROM invoice WHERE account_id = $1 AND billing_reason LIKE 'subscription_%'`,
      )
    )?.n,
  );

/** Cycles of which the bank has another amount than was to be paid, after what it returned. */
const paidOtherwise = `SELECT i.id, i.status, i.total, sum(b.amount - coalesce(r.returned, 0))::int AS kept FROM invoice i
  JOIN pix_charge q ON q.invoice_id = i.id JOIN sandbox_bank.pix b ON b.txid = q.id
  LEFT JOIN (SELECT end_to_end_id, sum(amount) AS returned FROM sandbox_bank.devolucao WHERE NOT refused GROUP BY 1) AS r USING (end_to_end_id)
  WHERE i.account_id = $1 GROUP BY i.id
  HAVING sum(b.amount - coalesce(r.returned, 0)) <> CASE i.status WHEN 'paid' THEN i.total ELSE 0 END`;

const billedTwice = `SELECT subscription_id, cycle FROM invoice WHERE account_id = $1 AND cycle IS NOT NULL AND status <> 'void'
  GROUP BY subscription_id, cycle HAVING count(*) > 1`;

async function passOne(): Promise<void> {
  const [due] = await run<Due>(scene.deps.pool, firstDue, [scene.merchant.accountId]);
  const nextCase = Math.min(...[...cases.values()].map(({ dueAt }) => dueAt));
  const at = Math.min(due?.at ?? Number.POSITIVE_INFINITY, nextCase);
  if (at === Number.POSITIVE_INFINITY) throw new Error('nothing is due any more');
  scene.api.clock.advance(Math.max(0, at - scene.now()));
  if (due !== undefined && due.at <= at) await perform(due);
  await lookAtCases();
}

test(
  'of cycles that are debited by a bank in trouble and processes that die none is paid twice, and all books agree',
  async () => {
    console.log(`SEED=${seed}`);
    const { id: price } = await scene.every('week');
    const made: Subscription[] = [];
    for (let nth = 0; nth < SUBSCRIPTIONS; nth += 1) {
      const { id: customer_id } = await newCustomer(scene.merchant);
      made.push(await subscribeByMandate(scene.merchant, { price_id: price, customer_id }));
    }
    expect(made.every(({ status }) => status === 'active')).toBe(true);
    while ((await cyclesBilled()) < CYCLES) {
      await passOne();
      await act();
    }
    // The trouble is over: whatever is open comes to its end.
    const until = scene.now() + 9 * DAY;
    while (scene.now() < until) await passOne();
    console.log(
      JSON.stringify(
        await scene.rows(
          `SELECT (SELECT count(*) FROM invoice WHERE account_id = $1 AND status = 'paid') AS paid,
         (SELECT count(*) FROM debit_try t WHERE t.account_id = $1) AS tries,
         (SELECT count(*) FROM debit_try t WHERE t.account_id = $1 AND t.status = 'paid') AS debited,
         (SELECT count(*) FROM mandate WHERE account_id = $1) AS mandates`,
          scene.merchant.accountId,
        ),
      ),
    );
    expect(await scene.rows(billedTwice, scene.merchant.accountId)).toEqual([]);
    expect(await scene.rows(paidOtherwise, scene.merchant.accountId)).toEqual([]);
    // The audit of the whole database follows as the API stops.
  },
  TEST_MS,
);
