import type { Event } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { newProduct } from '../support/factories.ts';
import { Stories, type Story } from '../support/story.ts';
import { eventually } from '../workflows/support.ts';

const stories = new Stories();

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** When the attempts of a ladder are due, since its first. */
const STEPS = [0, MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, 9 * HOUR, 21 * HOUR, 45 * HOUR, 69 * HOUR, 93 * HOUR];
/** What spreads the attempts of one step. */
const jitterOf = (step: number): number =>
  step === STEPS.length - 1 ? 0 : Math.min(MINUTE, ((STEPS[step] ?? 0) - (STEPS[step - 1] ?? 0)) / 100);

/** A merchant whose only endpoint is the story's. */
async function aShop(answer = 200) {
  const story = await stories.startOn('2027-01-10');
  const { fatura, receiver } = story;
  const [{ id = '' } = {}] = (await fatura.webhookEndpoints.list().page()).data;
  receiver.answer = () => answer;
  return { story, fatura, receiver, id, endpoints: fatura.webhookEndpoints };
}

/** A product, whose event was tried once: the event, and the instant of that attempt. */
async function anEvent({ fatura, merchant }: Story): Promise<{ event: Event; at: number }> {
  const { id } = await newProduct(merchant);
  const [event] = (await fatura.events.list({ related_object: id }).page()).data;
  if (event === undefined) throw new Error('a product without an event');
  const at = await eventually('the first attempt', async () => (await attemptsOf({ fatura }, event.id))[0]);
  return { event, at: at ?? 0 };
}

/** The instants of the attempts of an event's newest ladder. */
async function attemptsOf({ fatura }: Pick<Story, 'fatura'>, event: string): Promise<number[]> {
  const { deliveries } = await fatura.events.deliveries(event);
  return (deliveries.data[0]?.attempts ?? []).map(({ at }) => at);
}

const advance = (story: Story, to: number) => story.fatura.testClock.advance({ to });

const letters = (story: Story) =>
  story.rows<{ occasion: string; created: number; recipient: string; subject: string; body_text: string }>(
    'SELECT occasion, created, recipient, subject, body_text FROM mail WHERE account_id = $1 AND endpoint_id IS NOT NULL ORDER BY created',
  );

describe('an endpoint that accepts nothing', () => {
  test('is tried ten times in 93 hours, unstable from the fifth failure on', async () => {
    const { story, fatura, endpoints, id } = await aShop(500);
    const { event, at } = await anEvent(story);
    await advance(story, at + 3 * HOUR - 1);
    expect(await attemptsOf(story, event.id)).toHaveLength(4);
    expect((await endpoints.retrieve(id)).status).toBe('active');
    await advance(story, at + 4 * HOUR);
    expect(await attemptsOf(story, event.id)).toHaveLength(5);
    expect((await endpoints.retrieve(id)).status).toBe('unstable');
    await advance(story, at + 93 * HOUR - 1);
    expect((await fatura.events.deliveries(event.id)).delivery_status).toBe('pending');
    await advance(story, at + 94 * HOUR);
    const attempts = await attemptsOf(story, event.id);
    expect(attempts).toEqual(
      STEPS.map((step, nth) => expect.toSatisfy((one: number) => one >= at + step && one <= at + step + jitterOf(nth))),
    );
    expect((await fatura.events.deliveries(event.id)).delivery_status).toBe('failed');
  });

  test('is warned of after 3 and 6 days, and switched off after 7', async () => {
    const { story, fatura, endpoints, id, receiver } = await aShop(500);
    const { at } = await anEvent(story);
    await advance(story, at + 3 * DAY - 1);
    expect(await letters(story)).toEqual([]);
    await advance(story, at + 5 * DAY);
    const { event: later } = await anEvent(story);
    await advance(story, at + 7 * DAY - 1);
    expect((await endpoints.retrieve(id)).status).toBe('unstable');
    await advance(story, at + 8 * DAY);
    expect((await letters(story)).map(({ occasion, created }) => [occasion, (created - at) / DAY])).toEqual([
      ['endpoint_failing', 3],
      ['endpoint_failing', 6],
      ['endpoint_disabled', 7],
    ]);
    expect((await endpoints.retrieve(id)).status).toBe('disabled');
    // The ladder that was under way ended with it, two attempts before its time.
    const { deliveries } = await fatura.events.deliveries(later.id);
    expect(deliveries.data).toMatchObject([{ status: 'failed', next_attempt: null }]);
    expect(deliveries.data[0]?.attempts).toHaveLength(8);
    const { requests } = receiver;
    await newProduct(story.merchant);
    await advance(story, at + 12 * DAY);
    expect(receiver.requests).toBe(requests);
    expect(await letters(story)).toHaveLength(3);
  });

  test('is told of in Portuguese, to the address of the account', async () => {
    const { story, id, receiver } = await aShop(404);
    const { at } = await anEvent(story);
    await advance(story, at + 7 * DAY);
    const [warning, again, end] = await letters(story);
    expect(warning).toMatchObject({
      recipient: expect.stringContaining('@'),
      subject: expect.stringContaining('[Teste] Seu webhook não aceita eventos há 3 dias'),
    });
    expect(warning?.body_text).toContain('o endereço respondeu com um erro (código 404)');
    expect(warning?.body_text).toContain('Se nada for aceito até 17/01/2027 às 10:00');
    expect(again?.subject).toContain('há 6 dias');
    expect(end?.subject).toContain('Seu webhook foi desativado');
    expect(end?.body_text).toContain(`POST /api/v1/webhook_endpoints/${id}/enable`);
    for (const letter of [warning, again, end]) expect(letter?.body_text).toContain(receiver.url);
  });

  test.each([
    ['one acceptance', 'active'],
    ['being enabled', 'active'],
  ] as const)('begins anew after %s', async (how, status) => {
    const { story, endpoints, id, receiver } = await aShop(500);
    const { at } = await anEvent(story);
    await advance(story, at + 3 * DAY + HOUR);
    expect(await letters(story)).toHaveLength(1);
    if (how === 'being enabled') await endpoints.enable(id);
    else {
      receiver.answer = () => 200;
      // The attempt of 93 hours.
      await advance(story, at + 94 * HOUR);
      receiver.answer = () => 500;
    }
    expect((await endpoints.retrieve(id)).status).toBe(status);
    const { at: again } = await anEvent(story);
    const since = how === 'being enabled' ? at + 93 * HOUR : again;
    await advance(story, Math.min(again, since) + 3 * DAY - HOUR);
    expect(await letters(story)).toHaveLength(1);
    await advance(story, again + 3 * DAY + HOUR);
    expect(await letters(story)).toHaveLength(2);
  });
});

describe('the secret of an endpoint', () => {
  test('signs for 24 hours beside the new one', async () => {
    const { story, endpoints, id, receiver } = await aShop();
    const { now } = await story.fatura.testClock.retrieve();
    const { secret = '' } = await endpoints.rotateSecret(id);
    receiver.secret = secret;
    const signatures = async () => {
      await anEvent(story);
      return receiver.signature.split(' ').length;
    };
    await advance(story, now + DAY - 10);
    expect(await signatures()).toBe(2);
    await advance(story, now + DAY + 10);
    expect(await signatures()).toBe(1);
  });
});

describe('an event', () => {
  test('is sent again three times within 30 days, each time by a ladder of its own', async () => {
    const { story, fatura, receiver } = await aShop();
    const { event } = await anEvent(story);
    for (const sent of [2, 3, 4]) {
      await advance(story, event.created + 2 * sent * DAY);
      await fatura.events.resend(event.id);
      await eventually('the event once more', async () => receiver.accepted.length === sent);
      expect(receiver.accepted.every(({ id }) => id === event.id)).toBe(true);
    }
    const ladders = async () =>
      (await fatura.events.deliveries(event.id)).deliveries.data.map(({ ladder, attempts }) => [
        ladder,
        attempts.length,
      ]);
    // The receiver has it before the attempt is in the books.
    await eventually('the last attempt to be booked', async () => (await ladders())[0]?.[1] === 1);
    expect(await ladders()).toEqual([
      [4, 1],
      [3, 1],
      [2, 1],
      [1, 1],
    ]);
    await expect(fatura.events.resend(event.id)).rejects.toMatchObject({ code: 'RESEND_LIMIT_REACHED' });
  });

  test('can be read and sent again for 30 days, and no longer', async () => {
    const { story, fatura } = await aShop();
    const { event } = await anEvent(story);
    await advance(story, event.created + 30 * DAY - 10);
    await fatura.events.resend(event.id);
    expect((await fatura.events.retrieve(event.id)).id).toBe(event.id);
    await advance(story, event.created + 30 * DAY + 1);
    await expect(fatura.events.retrieve(event.id)).rejects.toMatchObject({ code: 'RESOURCE_MISSING' });
    await expect(fatura.events.resend(event.id)).rejects.toMatchObject({ code: 'RESOURCE_MISSING' });
    expect((await fatura.events.list({ related_object: event.data.object.id }).page()).data).toEqual([]);
  });
});

describe('a recovery', () => {
  test('sends again what an outage of the receiver cost, oldest first, and what was accepted not', async () => {
    const { story, fatura, endpoints, id, receiver } = await aShop();
    await anEvent(story);
    receiver.answer = () => 503;
    const { event: first, at } = await anEvent(story);
    await advance(story, at + 8 * DAY);
    expect((await endpoints.retrieve(id)).status).toBe('disabled');
    const missed = [first.id];
    for (let nth = 0; nth < 3; nth += 1) {
      const { id: product } = await newProduct(story.merchant);
      const [event] = (await fatura.events.list({ related_object: product }).page()).data;
      missed.push(event?.id ?? '');
    }
    await expect(endpoints.recover(id, { since: at })).rejects.toMatchObject({ code: 'INVALID_STATE' });
    receiver.answer = () => 200;
    await endpoints.enable(id);
    receiver.accepted.length = 0;
    const begun = await endpoints.recover(id, { since: at - 1 });
    expect(begun).toMatchObject({ object: 'webhook_recovery', webhook_endpoint: id, since: at - 1, events: 0 });
    await eventually('the end of the recovery', async () => (await endpoints.retrieveRecovery(id)).status === 'done');
    expect(await endpoints.retrieveRecovery(id)).toMatchObject({ events: missed.length, status: 'done' });
    await eventually('all that was missed', async () => receiver.accepted.length === missed.length);
    expect(receiver.accepted.map((event) => event.id).toSorted()).toEqual(missed);
    // It counts as no resend, and what was accepted is not sent once more.
    for (let nth = 0; nth < 3; nth += 1) await fatura.events.resend(first.id);
    await endpoints.recover(id, { since: at - 1 });
    await eventually('its end', async () => (await endpoints.retrieveRecovery(id)).status === 'done');
    expect(await endpoints.retrieveRecovery(id)).toMatchObject({ events: 0 });
  });

  test('looks back 30 days at most, and never ahead', async () => {
    const { story, endpoints, id } = await aShop();
    const { now } = await story.fatura.testClock.retrieve();
    for (const since of [now - 30 * DAY - 60, now + 60])
      await expect(endpoints.recover(id, { since })).rejects.toMatchObject({
        code: 'PARAMETER_INVALID',
        param: 'since',
      });
    await expect(endpoints.retrieveRecovery(id)).rejects.toMatchObject({ code: 'RESOURCE_MISSING' });
  });
});
