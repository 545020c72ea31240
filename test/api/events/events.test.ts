import type { Event, EventType, FaturaError } from '@fatura/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer, newInvoice, newProduct } from '../../support/factories.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { subscribeByCard } from '../../support/subscriptions.ts';
import { deliverFrom, eventOf, register, settled } from '../../workflows/support.ts';
import { send } from '../requests.ts';

const DAY = 24 * 3_600;

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const refusal = (work: Promise<unknown>): Promise<FaturaError> =>
  work.then(
    () => Promise.reject(new Error('it was not refused')),
    (error) => error,
  );

const idsOf = (events: readonly Event[]): string[] => events.map(({ id }) => id);

/** Products made one after another; answers their creation events, oldest first. */
async function productEvents(shop: Merchant, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) {
    ids.push(await eventOf(shop, (await newProduct(shop)).id, 'product.created'));
  }
  return ids;
}

describe('an event', () => {
  test('is answered as it was frozen, whatever became of its object', async () => {
    const shop = await api.newMerchant();
    const product = await newProduct(shop);
    const id = await eventOf(shop, product.id, 'product.created');
    await shop.fatura.products.update(product.id, { name: 'Outro nome' });
    expect(await shop.fatura.events.retrieve(id)).toEqual({
      id,
      object: 'event',
      type: 'product.created',
      created: product.created,
      live_mode: false,
      data: { object: product },
    });
  });

  test('of another account or mode does not exist, and neither does an id of another form', async () => {
    const [shop, other] = [await api.newMerchant(), await api.newMerchant()];
    const id = await eventOf(shop, (await newProduct(shop)).id, 'product.created');
    const missing = { status: 404, code: 'RESOURCE_MISSING' };
    for (const stranger of [shop.live, other.fatura]) {
      expect(await refusal(stranger.events.retrieve(id))).toMatchObject(missing);
      expect(await refusal(stranger.events.deliveries(id))).toMatchObject(missing);
    }
    for (const unknown of [
      'evt_1',
      'nonsense',
      'evt_\0',
      'evt_7zzzzzzzzzzzzzzzzzzzzzzzzz',
      'evt_01kaj4w2n8e9r7t5v3x1z0q6d4',
    ]) {
      expect(await refusal(shop.fatura.events.retrieve(unknown))).toMatchObject(missing);
      expect(await refusal(shop.fatura.events.deliveries(unknown))).toMatchObject(missing);
    }
  });
});

describe('the list of events', () => {
  test('is newest first and pages in both directions without a gap', async () => {
    const shop = await api.newMerchant();
    const made = (await productEvents(shop, 7)).toReversed();
    expect(idsOf(await shop.fatura.events.list({ limit: 3 }).all({ max: 100 }))).toEqual(made);
    const first = await shop.fatura.events.list({ limit: 3 }).page();
    expect([idsOf([...first.data]), first.hasMore]).toEqual([made.slice(0, 3), true]);
    const back = await shop.fatura.events.list({ limit: 2, ending_before: made[4] ?? '' }).page();
    expect([idsOf([...back.data]), back.hasMore]).toEqual([made.slice(2, 4), true]);
    const last = await shop.fatura.events.list({ limit: 3, starting_after: made[3] ?? '' }).page();
    expect([idsOf([...last.data]), last.hasMore]).toEqual([made.slice(4), false]);
  });

  test('refuses a cursor of nothing', async () => {
    const [shop, other] = [await api.newMerchant(), await api.newMerchant()];
    const [own = '', strange = ''] = [...(await productEvents(shop, 1)), ...(await productEvents(other, 1))];
    const invalid = { status: 400, code: 'CURSOR_INVALID' };
    for (const cursor of [strange, 'evt_1', 'evt_01kaj4w2n8e9r7t5v3x1z0q6d4', 'evt_7zzzzzzzzzzzzzzzzzzzzzzzzz']) {
      const list = shop.fatura.events.list({ starting_after: cursor });
      expect(await refusal(list.page())).toMatchObject({ ...invalid, param: 'starting_after' });
    }
    const both = shop.fatura.events.list({ starting_after: own, ending_before: own });
    expect(await refusal(both.page())).toMatchObject(invalid);
  });

  test('is filtered by one type or several', async () => {
    const shop = await api.newMerchant();
    const customer = await newCustomer(shop);
    const product = await newProduct(shop);
    await shop.fatura.products.update(product.id, { name: 'Outro nome' });
    const typesOf = async (type?: EventType[]) => {
      const events = await shop.fatura.events.list(type === undefined ? {} : { type }).all({ max: 100 });
      return events.map((event) => event.type);
    };
    expect(await typesOf()).toEqual(['product.updated', 'product.created', 'customer.created']);
    expect(await typesOf(['product.created'])).toEqual(['product.created']);
    expect(await typesOf(['product.updated', 'customer.created'])).toEqual(['product.updated', 'customer.created']);
    expect(await eventOf(shop, customer.id, 'customer.created')).toMatch(/^evt_/);
    const unknown = await send(api, { method: 'GET', path: '/events?type=invoice.eaten', key: shop.sandboxKey });
    expect(unknown.status).toBe(400);
  });

  test('is filtered by an object and by those it belongs to', async () => {
    const shop = await api.newMerchant();
    const invoice = await newInvoice(shop);
    await newInvoice(shop);
    const typesOf = async (id: string) =>
      (await shop.fatura.events.list({ related_object: id }).all({ max: 100 })).map(({ type }) => type);
    expect(await typesOf(invoice.id)).toEqual(['invoice.created']);
    expect(await typesOf(invoice.customer)).toEqual(['invoice.created', 'customer.created']);
    expect(await typesOf('in_01kaj4w2n8e9r7t5v3x1z0q6d4')).toEqual([]);
  });

  test('regression-52-refunds are found by all that their payment belongs to', async () => {
    const shop = await api.newMerchant();
    const { id, latest_invoice: invoiceId } = await subscribeByCard(shop);
    const { customer, payment_intent: intent } = await shop.fatura.invoices.retrieve(invoiceId ?? '');
    await shop.fatura.refunds.create({ payment_intent: intent ?? '' });
    const refundsOf = async (related: string) => {
      const type: EventType[] = ['refund.created', 'refund.updated'];
      return (await shop.fatura.events.list({ related_object: related, type }).all({ max: 100 })).map(
        (event) => event.type,
      );
    };
    for (const related of [intent, invoiceId, id, customer]) {
      expect(await refundsOf(related ?? '')).toEqual(['refund.updated', 'refund.created']);
    }
    expect((await refundsOf((await newCustomer(shop)).id)).length).toBe(0);
  });

  test.each(['xyz', 'in', 'in_', 'IN_01kaj4w2n8e9r7t5v3x1z0q6d4', 'in_01kaj4w2n8e9r7t5v3x1z0q6d4x', ''])(
    'regression-51-a related object of %j, which is no id, is refused',
    async (id) => {
      const shop = await api.newMerchant();
      const path = `/events?related_object=${id}`;
      const { status, body } = await send(api, { method: 'GET', path, key: shop.sandboxKey });
      expect(status).toBe(400);
      expect(body).toMatchObject({ error: { code: 'PARAMETER_INVALID', param: 'related_object' } });
    },
  );

  test('is filtered by the instant, both ends included', async () => {
    const shop = await api.newMerchant();
    const [first] = await productEvents(shop, 1);
    const from = api.clock.now();
    api.clock.advance(60);
    const [second] = await productEvents(shop, 1);
    const created = async (range: { created_gte?: number; created_lte?: number }) =>
      idsOf(await shop.fatura.events.list(range).all({ max: 100 }));
    expect(await created({ created_gte: from, created_lte: from })).toEqual([first]);
    expect(await created({ created_gte: from + 1 })).toEqual([second]);
    expect(await created({ created_lte: from + 60 })).toEqual([second, first]);
  });

  test('ends at 30 days by the clock of the account', async () => {
    const shop = await api.newMerchant();
    const [old = ''] = await productEvents(shop, 1);
    api.clock.advance(30 * DAY);
    const [fresh] = await productEvents(shop, 1);
    expect(idsOf(await shop.fatura.events.list().all({ max: 100 }))).toEqual([fresh, old]);
    api.clock.advance(1);
    expect(idsOf(await shop.fatura.events.list().all({ max: 100 }))).toEqual([fresh]);
    expect(await refusal(shop.fatura.events.retrieve(old))).toMatchObject({ status: 404 });
    expect(await refusal(shop.fatura.events.deliveries(old))).toMatchObject({ status: 404 });
  });
});

describe('the delivery result', () => {
  const start = async (): Promise<{ shop: Merchant; good: Receiver; bad: Receiver; stop: () => Promise<void> }> => {
    const [shop, good, bad] = [await api.newMerchant(), await startReceiver(), await startReceiver()];
    bad.answer = () => 500;
    const deliveries = deliverFrom(api);
    const stop = async () => {
      await deliveries.stop();
      await Promise.all([good.stop(), bad.stop()]);
    };
    return { shop, good, bad, stop };
  };

  test('filters the list: each event has exactly one', async () => {
    const { shop, good, bad, stop } = await start();
    await register(shop, good, ['product.created', 'customer.created']);
    const failing = await register(shop, bad, ['customer.created', 'price.created']);
    const product = await newProduct(shop);
    const delivered = await eventOf(shop, product.id, 'product.created');
    const partly = await eventOf(shop, (await newCustomer(shop)).id, 'customer.created');
    await shop.fatura.products.update(product.id, { name: 'Outro nome' });
    const unsent = await eventOf(shop, product.id, 'product.updated');
    await settled(shop, delivered, 'delivered');
    const deliveries = await settled(shop, partly, 'pending');
    expect(deliveries.deliveries.data).toHaveLength(2);
    const byStatus = async (status: 'delivered' | 'pending' | 'failed' | 'not_sent') =>
      idsOf(await shop.fatura.events.list({ delivery_status: status }).all({ max: 100 }));
    expect(await byStatus('delivered')).toEqual([delivered]);
    expect(await byStatus('pending')).toEqual([partly]);
    expect(await byStatus('not_sent')).toEqual([unsent]);
    expect(await byStatus('failed')).toEqual([]);
    await stop();
    await shop.fatura.webhookEndpoints.delete(failing.id);
    expect(await byStatus('failed')).toEqual([partly]);
    expect(await byStatus('pending')).toEqual([]);
    const both = shop.fatura.events.list({ delivery_status: 'failed', type: ['customer.created'], limit: 1 });
    expect(idsOf(await both.all({ max: 100 }))).toEqual([partly]);
  });

  test('shows each attempt', async () => {
    const { shop, bad, stop } = await start();
    const { id } = await register(shop, bad, ['product.created']);
    const event = await eventOf(shop, (await newProduct(shop)).id, 'product.created');
    const at = api.clock.now();
    const shown = await settledAttempt(shop, event);
    expect(shown).toEqual({
      object: 'event_deliveries',
      event,
      delivery_status: 'pending',
      deliveries: {
        object: 'list',
        data: [
          {
            object: 'delivery',
            webhook_endpoint: id,
            ladder: 1,
            status: 'pending',
            next_attempt: at + 60,
            attempts: [
              {
                attempt: 1,
                at,
                status_code: 500,
                failure: 'http_status',
                detail: 'HTTP 500',
                answer: null,
                duration_ms: expect.any(Number),
              },
            ],
          },
        ],
      },
    });
    await stop();
    await shop.fatura.webhookEndpoints.delete(id);
  });
});

async function settledAttempt(shop: Merchant, event: string) {
  for (;;) {
    const shown = await shop.fatura.events.deliveries(event);
    if ((shown.deliveries.data[0]?.attempts.length ?? 0) > 0) return shown;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
