import type { Refund } from '@fatura/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Merchant } from '../../../support/api.ts';
import { refusalOf, send } from '../../requests.ts';
import { refusal } from '../payment-scene.ts';
import { RefundScene, type Sale } from './refund-scene.ts';

const scene = new RefundScene();

const COUNT = 7;
const URL = '/api/v1/refunds';
const UNKNOWN = `pi_${'0'.repeat(26)}`;

let unrefunded: Sale;
/** As the list shows them: the newest refund first, which is of the oldest payment. */
let refunds: Refund[];

beforeAll(async () => {
  const sales: Sale[] = [];
  for (let count = 1; count <= COUNT; count += 1) {
    sales.unshift(await (count === 2 ? scene.soldByPix() : scene.soldByCard()));
    scene.api.clock.advance(10);
  }
  unrefunded = await scene.soldByCard();
  for (const sale of sales) {
    await scene.refund(sale, { amount: 1000 });
    scene.api.clock.advance(10);
  }
  for (const sale of sales) await scene.refund(sale, { amount: 500, reason: 'other' });
  await scene.settleAtBank(sales.at(-2) ?? expect.fail('one was sold by PIX'));
  refunds = await Promise.all(sales.toReversed().map((sale) => scene.refunded(sale)));
});

const at = (index: number): Refund => refunds[index] ?? expect.fail(`there is no refund ${index}`);

async function page(query: Record<string, string | number>, of: Merchant = scene.merchant): Promise<unknown> {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const { status, body } = await send(scene.api, { method: 'GET', path: `/refunds?${search}`, key: of.sandboxKey });
  expect(status).toBe(200);
  return body;
}

async function refused(search: string): Promise<[status: number, violation: string]> {
  const path = `/refunds?${search}`;
  const { status, param, code } = refusalOf(
    await send(scene.api, { method: 'GET', path, key: scene.merchant.sandboxKey }),
  );
  return [status, `${param} ${code}`];
}

describe('the list of refunds', () => {
  test('regression-77-has one for each payment with all its parts, the newest refund first whatever the age of its payment', async () => {
    expect(refunds.map(({ amount, parts }) => [amount, parts.length])).toEqual(
      Array.from({ length: COUNT }, () => [1500, 2]),
    );
    expect(await page({})).toEqual({ object: 'list', url: URL, has_more: false, data: refunds });
  });

  test('is read in pages, forwards and backwards', async () => {
    expect(await page({ limit: 3 })).toMatchObject({ has_more: true, data: refunds.slice(0, 3) });
    const { fatura } = scene.merchant;
    expect(await fatura.refunds.list({ limit: 3 }).all({ max: 100 })).toEqual(refunds);
    expect(await page({ limit: 3, starting_after: at(2).id })).toMatchObject({
      has_more: true,
      data: refunds.slice(3, 6),
    });
    expect(await page({ limit: 3, starting_after: at(5).id })).toMatchObject({ has_more: false, data: [at(6)] });
    expect(await page({ limit: 3, ending_before: at(5).id })).toMatchObject({
      has_more: true,
      data: refunds.slice(2, 5),
    });
    expect(await page({ limit: 3, ending_before: at(1).id })).toMatchObject({ has_more: false, data: [at(0)] });
  });

  test('keeps to the instants asked for, of the first part that stands, both ends included', async () => {
    const [newest, oldest] = [at(2).created, at(4).created];
    expect(newest).toBeGreaterThan(oldest);
    expect(await page({ created_gte: oldest, created_lte: newest })).toMatchObject({ data: refunds.slice(2, 5) });
    expect(await page({ created_gte: newest + 1 })).toMatchObject({ data: refunds.slice(0, 2) });
    expect(await page({ created_lte: oldest - 1 })).toMatchObject({ data: refunds.slice(5) });
    expect(await page({ created_lte: newest, starting_after: at(0).id, limit: 2 })).toMatchObject({
      has_more: true,
      data: refunds.slice(2, 4),
    });
  });

  test.each([
    ['an id of nothing', () => `starting_after=${UNKNOWN}`, 'starting_after CURSOR_INVALID'],
    ['no id', () => 'starting_after=nothing', 'starting_after CURSOR_INVALID'],
    ['a payment without a refund', () => `ending_before=${unrefunded.intent}`, 'ending_before CURSOR_INVALID'],
    ['another object', () => `starting_after=${unrefunded.invoice}`, 'starting_after CURSOR_INVALID'],
    ['two ends', () => `starting_after=${at(1).id}&ending_before=${at(2).id}`, 'ending_before CURSOR_INVALID'],
    ['a limit of nothing', () => 'limit=0', 'limit PARAMETER_INVALID'],
    ['a filter that it does not have', () => 'status=refunded', 'status PARAMETER_UNKNOWN'],
  ])('is refused from %s', async (_, search, violation) => {
    expect(await refused(search())).toEqual([400, violation]);
  });

  test('of another account or mode is empty, and its cursors lead nowhere there', async () => {
    const stranger = await scene.api.newMerchant();
    const empty = { object: 'list', url: URL, has_more: false, data: [] };
    expect(await page({}, stranger)).toEqual(empty);
    for (const fatura of [stranger.fatura, scene.merchant.live]) {
      expect(await fatura.refunds.list().all({ max: 10 })).toEqual([]);
      await expect(fatura.refunds.list({ starting_after: at(0).id }).page()).rejects.toEqual(refusal('CURSOR_INVALID'));
    }
  });

  test('leaves out a refund of which no part stands, and dates it by those that do', async () => {
    await scene.whileRefusing(() => expect(scene.refund(unrefunded)).rejects.toEqual(refusal('REFUND_REFUSED')));
    expect(await page({})).toMatchObject({ data: refunds });
    scene.api.clock.advance(60);
    const later = await scene.refund(unrefunded, { amount: 700 });
    expect(later).toMatchObject({ amount: 700, created: scene.now });
    expect(await page({ created_gte: scene.now })).toMatchObject({ data: [later] });
    expect(await page({})).toMatchObject({ data: [later, ...refunds] });
  });
});
