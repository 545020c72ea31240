import { describe, expect, test } from 'vitest';
import { recoverCases } from '../../server/outbox/recovery.ts';
import { chargeReconciliationStep } from '../../server/payments/card/reconciliation.ts';
import type { Merchant } from '../support/api.ts';
import { cards, payByCard } from '../support/cards.ts';
import { newInvoice } from '../support/factories.ts';
import { DeliveryScene } from './deliveries/delivery-scene.ts';
import { eventually, register } from './support.ts';

const scene = new DeliveryScene();

/** Ladders of events whose next attempt is late by so many minutes each. */
async function lateLadders(minutes: readonly number[]): Promise<string[]> {
  const [shop, target] = [await scene.api.newMerchant(), await scene.receiver(() => 500)];
  const { id } = await register(shop, target, ['product.created']);
  const events: string[] = [];
  for (const _ of minutes) events.push(await scene.productEvent(shop));
  scene.deliver();
  for (const [index, event] of events.entries()) {
    await eventually('the ladder', async () => (await scene.ladderOf(event)).stage === 'ladder');
    await scene.pool.query(
      'UPDATE delivery SET claimable_at = now() - make_interval(mins => $2::int) WHERE event_id = $1',
      [event, minutes[index]],
    );
  }
  await scene.pool.query('DELETE FROM outbox');
  return events.map((event) => `webhook-delivery ${event}/${id}/1`);
}

describe('what is late', () => {
  test('is asked for latest first, those behind in the next runs, and anew only after a while', async () => {
    const [five, hour, ten, day] = await lateLadders([5, 60, 10, 1_440]);
    const nowMs = Date.now();
    const asked = async (rowsMax: number, afterSeconds: number): Promise<string[]> => {
      await recoverCases(scene.pool, { mode: 'sandbox', rowsMax, nowMs: nowMs + afterSeconds * 1_000 });
      const keys = await scene.outboxKeys();
      // The relay took them, and their cases came no further.
      await scene.pool.query('DELETE FROM outbox');
      return keys;
    };
    expect(await asked(2, 0)).toEqual([day, hour]);
    expect(await asked(3, 60)).toEqual([ten, five]);
    expect(await asked(3, 120)).toEqual([]);
    const [late] = await lateLadders([4]);
    expect(await asked(3, 150)).toEqual([late]);
    // One of each account before two of any, however late those are.
    expect(await asked(2, 240)).toEqual([day, late]);
    await recoverCases(scene.pool, { mode: 'sandbox', nowMs: nowMs + 300_000 });
    expect(await recoverCases(scene.pool, { mode: 'sandbox', nowMs: nowMs + 900_000 })).toMatchObject({
      'webhook-delivery': 2,
    });
  });
});

/** A charge by card of unknown outcome whose deadline was so many minutes ago, and whose case nobody is asked for. */
async function lostCharge(shop: Merchant, minutes: number): Promise<string> {
  const { id } = await newInvoice(shop);
  await expect(payByCard(shop, id, { number: cards.answer_lost })).rejects.toMatchObject({ code: 'ACQUIRER_TIMEOUT' });
  const intent = (await shop.fatura.invoices.retrieve(id)).payment_intent ?? '';
  await scene.pool.query(
    'UPDATE charge_attempt SET deadline_at = now() - make_interval(mins => $2) WHERE intent_id = $1',
    [intent, minutes],
  );
  await scene.pool.query(`DELETE FROM outbox WHERE kind = 'charge-reconciliation' AND key = $1`, [intent]);
  return intent;
}

describe('a charge of unknown outcome', () => {
  test('is asked for again three minutes after its deadline, until it is known', async () => {
    const shop = await scene.api.newMerchant();
    const [fresh, late, later] = [await lostCharge(shop, 2), await lostCharge(shop, 4), await lostCharge(shop, 60)];
    const asked = async (afterSeconds: number) => {
      const counted = await recoverCases(scene.pool, { mode: 'sandbox', nowMs: Date.now() + afterSeconds * 1_000 });
      const keys = await scene.outboxKeys();
      await scene.pool.query('DELETE FROM outbox');
      return { counted: counted['charge-reconciliation'], keys };
    };
    const expected = [`charge-reconciliation ${later}`, `charge-reconciliation ${late}`];
    // Hours apart, so that each begins a sweep of its own.
    expect(await asked(3_600)).toEqual({ counted: 2, keys: expected });
    for (const intent of [fresh, late, later])
      expect(await chargeReconciliationStep(scene.api.composition.deps, intent)).toEqual({ done: true });
    expect(await asked(7_200)).toEqual({ counted: 0, keys: [] });
  });
});
