import type { SubscriptionCollectionInput } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { byCard, cards } from '../../support/cards.ts';
import { newCustomer } from '../../support/factories.ts';
import { mailsOf } from '../../support/mails.ts';
import { newMonthly } from '../../support/subscriptions.ts';
import { SubscriptionScene } from './subscription-scene.ts';

const DAY = 86_400;
const scene = new SubscriptionScene();

const ACCOUNTS = { overdue_days: null, suspend_days: null, cancel_days: null, retry_days: null, reminder_days: null };

/** An active one whose renewals are declined. */
async function unfunded(collection: SubscriptionCollectionInput) {
  const { id } = await scene.subscribe({ collection });
  await scene.subscriptions.checkout(id, byCard(cards.renewals_declined));
  return id;
}

describe('a subscription with days of its own', () => {
  test('shows them, and the others are those of its account', async () => {
    const { id, collection } = await scene.subscribe({ collection: { suspend_days: 20, retry_days: [] } });
    expect(collection).toEqual({ ...ACCOUNTS, suspend_days: 20, retry_days: [] });
    const changed = await scene.subscriptions.update(id, { collection: { suspend_days: null, reminder_days: [-1] } });
    expect(changed.collection).toEqual({ ...ACCOUNTS, retry_days: [], reminder_days: [-1] });
    expect((await scene.subscriptions.update(id, { collection: {} })).collection).toEqual(changed.collection);
    expect((await scene.subscribe()).collection).toEqual(ACCOUNTS);
  });

  test('is collected by them, and another by those of the account', async () => {
    const id = await unfunded({ overdue_days: 2, suspend_days: 4, cancel_days: 6, retry_days: [3] });
    const other = await unfunded({});
    await scene.renew(id);
    const at = scene.now();
    await scene.pass(id, 7 * DAY);
    const told = (await scene.story(id, at)).filter(([, type]) =>
      /overdue|suspended|canceled|retried/.test(String(type)),
    );
    expect(told).toEqual([
      [2, 'invoice.overdue'],
      [2, 'subscription.overdue'],
      [4, 'subscription.suspended'],
      [6, 'subscription.canceled'],
    ]);
    expect(await scene.status(other)).toBe('active');
  });

  test('has its open bill keep the days that it was made with', async () => {
    const id = await unfunded({ suspend_days: 12 });
    await scene.renew(id);
    await scene.subscriptions.update(id, { collection: { suspend_days: 2, retry_days: [1] } });
    await scene.pass(id, 11 * DAY);
    expect(await scene.status(id)).toBe('active');
    await scene.pass(id, DAY);
    expect(await scene.status(id)).toBe('suspended');
  });

  test('is reminded of by its own days', async () => {
    scene.api.clock.advanceToHour(12);
    const { id } = await scene.subscribePaidByPix(undefined, { collection: { reminder_days: [-1, 2] } });
    const { id: invoice } = await scene.renew(id);
    await scene.pass(id, 9 * DAY);
    expect((await mailsOf(scene.api, invoice)).map(({ step }) => step)).toEqual([-1, 2]);
  });

  test('comes of a checkout session that says so', async () => {
    const price = await newMonthly(scene.merchant);
    const session = {
      ...{ mode: 'subscription' as const, line_items: [{ price_id: price.id, quantity: 1 }] },
      ...{ success_url: 'https://loja.test/obrigado', return_url: 'https://loja.test/planos' },
    };
    const create = async (collection: SubscriptionCollectionInput) =>
      scene.fatura.checkoutSessions.create({
        ...session,
        customer_id: (await newCustomer(scene.merchant)).id,
        subscription: { collection },
      });
    const { subscription } = await create({ cancel_days: 60, overdue_days: null });
    expect((await scene.subscriptions.retrieve(subscription ?? '')).collection).toEqual({
      ...ACCOUNTS,
      cancel_days: 60,
    });
    await expect(create({ cancel_days: 10 })).rejects.toMatchObject({
      status: 400,
      code: 'PARAMETER_INVALID',
      param: 'subscription.collection.suspend_days',
    });
  });
});

test.each<[SubscriptionCollectionInput, string, string]>([
  [{ suspend_days: 30 }, 'suspend_days', 'got overdue 1, suspend 30, cancel 30'],
  [{ overdue_days: 11 }, 'suspend_days', 'got overdue 11, suspend 10, cancel 30'],
  [{ cancel_days: 10 }, 'suspend_days', 'got overdue 1, suspend 10, cancel 10'],
  [{ suspend_days: 5 }, 'retry_days', 'up to the 5 of the suspension, got 1,3,7'],
  [{ retry_days: [11] }, 'retry_days', 'up to the 10 of the suspension, got 11'],
  [{ reminder_days: [1, 0] }, 'reminder_days', 'rising from -7 to 30, got 1,0'],
  [{ overdue_days: 0 }, 'overdue_days', '1'],
])('own days %j that come to no order with those of the account are refused', async (collection, field, message) => {
  const refused = {
    status: 400,
    code: 'PARAMETER_INVALID',
    param: `collection.${field}`,
    message: expect.stringContaining(message),
  };
  await expect(scene.subscribe({ collection })).rejects.toMatchObject(refused);
  const { id } = await scene.subscribe();
  await expect(scene.subscriptions.update(id, { collection })).rejects.toMatchObject(refused);
  expect((await scene.subscriptions.retrieve(id)).collection).toEqual(ACCOUNTS);
});
