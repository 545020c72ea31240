import type { Dispute } from '@fatura/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { refusalOf, send } from '../../requests.ts';
import { refusal } from '../payment-scene.ts';
import type { Sale } from '../refunds/refund-scene.ts';
import { DisputeScene } from './dispute-scene.ts';

const scene = new DisputeScene();

const URL = '/api/v1/disputes';
const UNKNOWN = `dp_${'0'.repeat(26)}`;

let one: Sale;
let other: Sale;
/** As the list shows them, newest first. */
let disputes: Dispute[];

beforeAll(async () => {
  one = await scene.soldByPix();
  other = await scene.soldByPix();
  for (const sale of [one, other, one, other, one]) {
    await scene.take(sale, 'fraud', { amount: 1000 });
    scene.api.clock.advance(10);
  }
  await scene.take(one, 'reversed');
  const of = async (sale: Sale) => (await scene.disputesOf(sale)).toReversed();
  disputes = [...(await of(one)), ...(await of(other))].toSorted((a, b) => (a.id < b.id ? 1 : -1));
});

const at = (index: number): Dispute => disputes[index] ?? expect.fail(`there is no dispute ${index}`);

async function page(query: Record<string, string | number>): Promise<unknown> {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const path = `/disputes?${search}`;
  const { status, body } = await send(scene.api, { method: 'GET', path, key: scene.merchant.sandboxKey });
  expect(status).toBe(200);
  return body;
}

describe('the list of disputes', () => {
  test('has one for each return, the newest first', async () => {
    expect(disputes.map(({ status }) => status)).toEqual(['won', 'lost', 'lost', 'lost', 'lost']);
    expect(await page({})).toEqual({ object: 'list', url: URL, has_more: false, data: disputes });
  });

  test('is read in pages, forwards and backwards', async () => {
    expect(await scene.merchant.fatura.disputes.list({ limit: 2 }).all({ max: 100 })).toEqual(disputes);
    expect(await page({ limit: 2, starting_after: at(1).id })).toMatchObject({
      has_more: true,
      data: disputes.slice(2, 4),
    });
    expect(await page({ limit: 2, ending_before: at(2).id })).toMatchObject({
      has_more: false,
      data: disputes.slice(0, 2),
    });
  });

  test('keeps to a payment, an invoice, a customer and a status', async () => {
    const ofOne = disputes.filter(({ payment_intent }) => payment_intent === one.intent);
    expect(ofOne).toHaveLength(3);
    expect(await page({ payment_intent_id: one.intent })).toMatchObject({ data: ofOne });
    expect(await page({ invoice_id: one.invoice })).toMatchObject({ data: ofOne });
    expect(await page({ customer_id: at(0).customer })).toMatchObject({ data: ofOne });
    expect(await page({ status: 'won' })).toMatchObject({ data: [at(0)] });
    expect(await page({ status: 'lost', invoice_id: one.invoice })).toMatchObject({ data: ofOne.slice(1) });
    expect(await page({ status: 'needs_response' })).toMatchObject({ data: [] });
  });

  test('keeps to the instants asked for, both ends included', async () => {
    const [newest, oldest] = [at(1).created, at(3).created];
    expect(await page({ created_gte: oldest, created_lte: newest })).toMatchObject({ data: disputes.slice(1, 4) });
  });

  test.each([
    ['an id of nothing', `starting_after=${UNKNOWN}`, 'starting_after CURSOR_INVALID'],
    [
      'an id of another object',
      'payment_intent_id=in_00000000000000000000000000',
      'payment_intent_id PARAMETER_INVALID',
    ],
    ['a status of nothing', 'status=open', 'status PARAMETER_INVALID'],
    ['a filter that it does not have', 'reason=fraud', 'reason PARAMETER_UNKNOWN'],
  ])('is refused from %s', async (_, search, violation) => {
    const path = `/disputes?${search}`;
    const answer = await send(scene.api, { method: 'GET', path, key: scene.merchant.sandboxKey });
    const { status, param, code } = refusalOf(answer);
    expect([status, `${param} ${code}`]).toEqual([400, violation]);
  });

  test('of another account or mode is empty, and its cursors lead nowhere there', async () => {
    const stranger = await scene.api.newMerchant();
    for (const fatura of [stranger.fatura, scene.merchant.live]) {
      expect(await fatura.disputes.list().all({ max: 10 })).toEqual([]);
      expect(await fatura.disputes.list({ invoice_id: one.invoice }).all({ max: 10 })).toEqual([]);
      const next = fatura.disputes.list({ starting_after: at(0).id }).page();
      await expect(next).rejects.toEqual(refusal('CURSOR_INVALID'));
    }
  });
});
