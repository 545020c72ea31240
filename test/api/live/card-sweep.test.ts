import { expect, test } from 'vitest';
import { sweepCards } from '../../../server/payments/live/card/sweep.ts';
import { newInvoice } from '../../support/factories.ts';
import { ownStatement } from '../../support/statements.ts';
import { type CardShop, cardScene } from './card-shop.ts';

const scene = cardScene();
const GOOD = '4000000000000010';

const ageCards = ownStatement(
  'test_age_sweep_of_cards',
  `UPDATE live_acquirer SET swept_until = swept_until - 172800 WHERE account_id = $1 AND method = 'card'`,
);

/** The sweep of two days later, and what comes of it. */
async function sweepOf({ accountId, rest }: CardShop): Promise<string> {
  const deps = scene.deps();
  await deps.pool.query(ageCards, [accountId]);
  const outcome = await sweepCards(deps, accountId);
  await rest();
  return outcome;
}

test('what is charged back in parts, with no webhook told of it, is found until nothing of the charge is left', async () => {
  const shop = await scene.openShop();
  const { id: invoice_id } = await newInvoice(shop, { amount: 4_000 });
  await shop.fatura.invoices.checkout(invoice_id, await shop.byToken(GOOD));
  await shop.rest();
  shop.own.hookUrl = null;
  const charge = [...shop.own.charges.keys()][0] ?? '';
  const amounts = async () =>
    (await shop.fatura.disputes.list({ invoice_id }).all({ max: 10 })).map((one) => one.amount);
  expect(await sweepOf(shop)).toBe('swept');
  expect(await amounts()).toEqual([]);
  for (const [taken, known] of [
    [1_000, [1_000]],
    [3_000, [3_000, 1_000]],
  ] as const) {
    scene.fake().chargeback(shop.own, charge, taken);
    expect(await sweepOf(shop)).toBe('swept');
    expect(await amounts()).toEqual(known);
  }
  expect(await sweepCards(scene.deps(), shop.accountId)).toBe('not_due');
  expect(await sweepOf(shop)).toBe('swept');
  expect(await amounts()).toEqual([3_000, 1_000]);
});
