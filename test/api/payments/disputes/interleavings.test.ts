import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DisputeScene } from './dispute-scene.ts';

const AMOUNT = 10_000;
const RUNS = 40;
const DEEDS_MAX = 12;
const ROUNDS_MAX = 10;
const REFUSALS = ['INVALID_STATE', 'REFUND_EXCEEDS_BALANCE'];
const SEED = 20_261_122;

const scene = new DisputeScene();

interface Payment {
  readonly invoice: string;
  readonly intent: string;
}

/** The bank does it, and the process ends before the notice is handled. */
function unheard(take: () => Promise<unknown>): Promise<unknown> {
  scene.failpoints.crashAt('settlement.after-booking');
  return take();
}

const deeds: Readonly<Record<string, (of: Payment, amount: number) => Promise<unknown>>> = {
  refund: (of, amount) => scene.refund(of, { amount }),
  take: (of, amount) => scene.take(of, 'fraud', { amount }),
  takeUnheard: (of, amount) => unheard(() => scene.take(of, 'operational_error', { amount })),
  giveBack: (of) => scene.take(of, 'reversed'),
  giveBackUnheard: (of) => unheard(() => scene.take(of, 'reversed')),
  revoke: (of) => scene.revokeAtBank(of),
  notice: (of) => scene.notice(of),
  settle: (of) => scene.settle(of),
  pass: async (_, seconds) => scene.api.clock.advance(seconds % 7),
};

const deed = fc.record({
  name: fc.constantFrom(...Object.keys(deeds), 'take', 'settle', 'notice'),
  amount: fc.constantFrom(1, 99, 2_500, 4_000, 7_500, AMOUNT),
});

/** Two of them may be done at once. */
const course = fc.record({
  isSurplus: fc.boolean(),
  turns: fc.array(fc.tuple(deed, fc.option(deed)), { minLength: 3, maxLength: DEEDS_MAX }),
});

async function pay(isSurplus: boolean): Promise<Payment> {
  const { invoice, intent } = await scene.openPix(AMOUNT);
  await scene.payPix(intent, isSurplus ? 'paid_twice' : 'paid');
  const newest = (await scene.intentsOf(invoice)).at(-1);
  return { invoice, intent: newest?.id ?? '' };
}

/** What is asked for, here or at the bank, is done. */
async function rest(of: Payment): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const keys = [of.intent, await scene.txidOf(of)];
    const asked = await scene.rows('DELETE FROM outbox WHERE key IN ($1, $2) RETURNING key', ...keys);
    await scene.notice(of);
    const { done } = await scene.settle(of);
    if (done && asked.length === 0) return;
    // Beyond the pause after the refusal of a surplus.
    scene.api.clock.advance(90_000);
  }
  throw new Error(`${of.intent} does not come to rest`);
}

test('whatever is refunded, taken, given back and refused after all, in any order and at once: no cent is lost', async () => {
  await fc.assert(
    fc.asyncProperty(course, async ({ isSurplus, turns }) => {
      const payment = await pay(isSurplus);
      for (const turn of turns) {
        const done = turn.map(async (one) => one !== null && deeds[one.name]?.(payment, one.amount));
        const mayEnd = turn.some((one) => one?.name.endsWith('Unheard') === true);
        for (const ended of await Promise.allSettled(done))
          if (ended.status === 'rejected')
            expect([...REFUSALS, ...(mayEnd ? ['INTERNAL_ERROR'] : [])]).toContain(ended.reason?.code ?? ended.reason);
        // A process that was to end for what the bank then refused goes on.
        scene.failpoints.meanwhile('settlement.after-booking', async () => {});
      }
      await rest(payment);
      const { amount_refunded, amount_disputed, status } = await scene.intent(payment.intent);
      const [atBank] = await scene.rows(
        `SELECT coalesce(sum(d.amount) FILTER (WHERE natureza = 'ORIGINAL'), 0)::int AS amount_refunded,
           coalesce(sum(d.amount) FILTER (WHERE natureza <> 'ORIGINAL'), 0)::int AS amount_disputed
         FROM sandbox_bank.devolucao d JOIN pix_receipt r ON r.id = d.end_to_end_id WHERE r.intent_id = $1 AND NOT d.refused`,
        payment.intent,
      );
      expect({ amount_refunded, amount_disputed }).toEqual(atBank);
      const counted = isSurplus ? { amount_refunded: 0, amount_disputed: 0 } : { amount_refunded, amount_disputed };
      expect(await scene.invoice(payment.invoice)).toMatchObject({ status: 'paid', ...counted });
      expect(status).toBe(amount_refunded === AMOUNT ? 'refunded' : 'paid');
      if (isSurplus) expect(amount_refunded + amount_disputed).toBe(AMOUNT);
    }),
    { numRuns: RUNS, seed: SEED },
  );
});
