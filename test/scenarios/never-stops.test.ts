import { expect, test } from 'vitest';
import { byCard, cards } from '../support/cards.ts';
import { instantOf, Stories, told } from '../support/story.ts';
import { eventually } from '../workflows/support.ts';

const stories = new Stories();
const TEST_MS = 60_000;

test(
  'a receiver that hangs does not stop the clock: each attempt is a timeout at its own instant',
  async () => {
    const story = await stories.startOn('2027-01-10');
    const { id } = await story.subscribeByCard();
    await story.news();
    story.receiver.answer = () => new Promise(() => {});
    await story.to('2027-02-12');
    expect(await story.fatura.testClock.retrieve()).toMatchObject({ status: 'ready', now: instantOf('2027-02-12') });
    const { data } = await story.fatura.events
      .list({ related_object: id, type: ['subscription.period_started'] })
      .page();
    const { deliveries } = await story.fatura.events.deliveries(data[0]?.id ?? '');
    const [first, second, third] = deliveries.data[0]?.attempts ?? [];
    expect([first, second, third]).toMatchObject([
      { attempt: 1, at: instantOf('2027-02-10'), failure: 'timeout' },
      { attempt: 2, failure: 'timeout' },
      { attempt: 3, failure: 'timeout' },
    ]);
    // The ladder goes on in its own time: a minute later, and ten.
    expect(second?.at).toBe(instantOf('2027-02-10 10:01'));
    expect(third?.at).toBeGreaterThanOrEqual(instantOf('2027-02-10 10:10'));
  },
  TEST_MS,
);

test(
  'a charge that is at the acquirer for a while is waited for, and is paid at its own instant',
  async () => {
    const story = await stories.startOn('2027-01-10');
    await story.subscribeByCard(cards.slow);
    await story.news();
    await story.to('2027-02-12');
    expect(await story.news()).toEqual(told.renewed('2027-02-10'));
  },
  TEST_MS,
);

test(
  'a charge of unknown outcome is left behind, and paid at the instant of the clock when its answer is known',
  async () => {
    const story = await stories.startOn('2027-01-10');
    const { id } = await story.subscribeByCard();
    await story.fatura.subscriptions.updatePaymentMethod(id, byCard(cards.answer_lost));
    await story.news();
    await story.to('2027-03-01');
    await eventually('the acquirer to tell', async () => {
      const [newest] = await story.fatura.invoices.list({ subscription_id: id }).all({ max: 3 });
      return newest?.status === 'paid';
    });
    const news = await story.news();
    // Nothing is overdue that may have been paid; the answer came in real time, after the clock or while it went.
    expect(news.map((line) => line.split(' ').at(-1))).toEqual(told.renewed('').map((line) => line.split(' ').at(-1)));
    expect(news.slice(0, 4)).toEqual(told.renewing('2027-02-10'));
    const [newest] = await story.fatura.invoices.list({ subscription_id: id }).all({ max: 3 });
    const { now } = await story.fatura.testClock.retrieve();
    expect(newest?.status_transitions.paid_at).toBeGreaterThan(instantOf('2027-02-10'));
    expect(newest?.status_transitions.paid_at).toBeLessThanOrEqual(now);
  },
  TEST_MS,
);

test('a subscription that is cancelled while the clock is advanced has to wait, and is cancelled afterwards', async () => {
  const story = await stories.startOn('2027-01-10');
  const { id } = await story.subscribeByCard(cards.slow);
  await story.news();
  const advance = story.to('2027-02-12');
  await eventually('the clock to advance', async () => {
    const { status } = await story.fatura.testClock.retrieve();
    return status === 'advancing';
  });
  await expect(story.fatura.subscriptions.cancel(id)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  await advance;
  expect(await story.fatura.subscriptions.cancel(id)).toMatchObject({ status: 'inactive' });
});
