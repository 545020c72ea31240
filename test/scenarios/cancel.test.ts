import { describe, expect, test } from 'vitest';
import { cards } from '../support/cards.ts';
import { Stories, told } from '../support/story.ts';

const stories = new Stories();

const voided = (day: string) => [`${day} payment_intent.discarded`, `${day} invoice.voided`];

describe('a subscription is cancelled', () => {
  test('while it waits for its first payment', async () => {
    const story = await stories.startOn('2027-01-10');
    const { id } = await story.subscribe();
    await story.to('2027-01-12');
    await story.fatura.subscriptions.cancel(id);
    await story.to('2027-03-01');
    expect(await story.news()).toEqual([
      ...told.subscribed('2027-01-10'),
      '2027-01-12 invoice.voided',
      '2027-01-12 subscription.canceled',
    ]);
  });

  test('by itself when it was not paid in seven days, with the QR code that was never paid', async () => {
    const story = await stories.startOn('2027-01-10');
    const { id } = await story.subscribe();
    await story.fatura.subscriptions.checkout(id, { payment_method_type: 'pix' });
    await story.to('2027-03-01');
    expect(await story.news()).toEqual([
      ...told.subscribed('2027-01-10'),
      '2027-01-10 payment_intent.created',
      ...voided('2027-01-17'),
      '2027-01-17 subscription.canceled',
    ]);
  });

  test('while it is regular', async () => {
    const story = await stories.startOn('2027-01-10');
    const { id } = await story.subscribeByCard();
    await story.news();
    await story.to('2027-02-20');
    await story.fatura.subscriptions.cancel(id);
    await story.to('2027-06-01');
    expect(await story.news()).toEqual([...told.renewed('2027-02-10'), '2027-02-20 subscription.canceled']);
  });

  test('with a bill by PIX that came ahead', async () => {
    const story = await stories.startOn('2027-01-10');
    const { id } = await story.subscribeByPix();
    await story.news();
    await story.to('2027-02-08');
    await story.fatura.subscriptions.cancel(id);
    await story.to('2027-06-01');
    expect(await story.news()).toEqual([
      ...told.billed('2027-02-07'),
      ...voided('2027-02-08'),
      '2027-02-08 subscription.canceled',
    ]);
  });

  test.each([
    { phase: 'after its card was declined', on: '2027-02-10 12:00', before: [] },
    {
      phase: 'while it is overdue',
      on: '2027-02-12',
      before: [...told.retried('2027-02-11'), ...told.declined('2027-02-11'), ...told.overdue('2027-02-11')],
    },
  ])('$phase', async ({ on, before }) => {
    const story = await stories.startOn('2027-01-10');
    const { id } = await story.subscribeByCard(cards.renewals_declined);
    await story.news();
    await story.to(on);
    await story.fatura.subscriptions.cancel(id);
    await story.to('2027-06-01');
    expect(await story.news()).toEqual([
      ...told.renewing('2027-02-10'),
      ...told.declined('2027-02-10'),
      ...before,
      ...voided(on),
      `${on} subscription.canceled`,
    ]);
  });

  test('while it is suspended, and after it was reactivated', async () => {
    const ends = ['2027-02-22', '2027-02-24'];
    for (const [index, day] of ends.entries()) {
      const story = await stories.startOn('2027-01-10');
      const { id } = await story.subscribeByPix();
      await story.to('2027-02-21');
      await story.news();
      if (index === 1) await story.fatura.subscriptions.reactivate(id);
      await story.to(day);
      await story.fatura.subscriptions.cancel(id);
      await story.to('2027-06-01');
      expect(await story.news()).toEqual([
        ...(index === 1 ? ['2027-02-21 subscription.reactivated'] : []),
        ...voided(day),
        `${day} subscription.canceled`,
      ]);
    }
  });
});
