import type { FaturaError } from '@fatura/sdk';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { eventTypes } from '../../../contract/events.ts';
import { readScope } from '../../../server/accounts/scope.ts';
import { createEndpoint, updateEndpoint } from '../../../server/events/endpoints.ts';
import { places } from '../../../server/sealing/sealed-columns.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newProduct } from '../../support/factories.ts';
import { eventOf } from '../../workflows/support.ts';

const URL_OF_RECEIVER = 'http://127.0.0.1:9/hook';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const newShop = (): Promise<Merchant> => api.newMerchant();

const refusal = (work: Promise<unknown>): Promise<FaturaError> =>
  work.then(
    () => Promise.reject(new Error('it was not refused')),
    (error) => error,
  );

const create = (shop: Merchant, overrides: { url?: string; event_types?: never[] } = {}) =>
  shop.fatura.webhookEndpoints.create({ url: URL_OF_RECEIVER, event_types: ['invoice.paid'], ...overrides });

describe('a webhook endpoint', () => {
  test('is answered whole, its secret at the creation alone', async () => {
    const { fatura } = await newShop();
    const created = await fatura.webhookEndpoints.create({
      url: URL_OF_RECEIVER,
      event_types: ['invoice.paid', 'customer.*'],
      description: 'Produção',
    });
    const { secret, ...shown } = created;
    expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^we_[0-9a-z]{26}$/),
      object: 'webhook_endpoint',
      url: URL_OF_RECEIVER,
      event_types: ['customer.created', 'customer.updated', 'customer.anonymized', 'invoice.paid'],
      description: 'Produção',
      status: 'active',
      created: api.clock.now(),
      live_mode: false,
    });
    expect(await fatura.webhookEndpoints.retrieve(created.id)).toEqual(shown);
    expect((await fatura.webhookEndpoints.list().page()).data).toEqual([shown]);
  });

  test('keeps its secret sealed in the database', async () => {
    const { secret, id } = await create(await newShop());
    const { rows } = await api.composition.deps.pool.query('SELECT * FROM webhook_endpoint WHERE id = $1', [id]);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(api.composition.deps.secretBox.open(rows[0].secret, places.webhookSecret(rows[0].account_id, id))).toBe(
      secret,
    );
  });

  test('a repeat under the same Idempotency-Key answers the same secret and registers nothing', async () => {
    const { fatura } = await newShop();
    const input = { url: URL_OF_RECEIVER, event_types: ['*' as const] };
    const first = await fatura.webhookEndpoints.create(input, { idempotencyKey: 'registration' });
    const second = await fatura.webhookEndpoints.create(input, { idempotencyKey: 'registration' });
    expect(second).toEqual(first);
    expect(first.event_types).toEqual(eventTypes);
    expect((await fatura.webhookEndpoints.list().page()).data).toHaveLength(1);
  });

  test('changes in the fields sent: absent keeps, null clears', async () => {
    const { fatura } = await newShop();
    const { secret: _, ...created } = await fatura.webhookEndpoints.create({
      url: URL_OF_RECEIVER,
      event_types: ['invoice.paid'],
      description: 'Produção',
    });
    const renamed = await fatura.webhookEndpoints.update(created.id, { url: 'http://127.0.0.1:10/hook' });
    expect(renamed).toEqual({ ...created, url: 'http://127.0.0.1:10/hook' });
    const cleared = await fatura.webhookEndpoints.update(created.id, { description: null, event_types: ['price.*'] });
    expect(cleared).toEqual({ ...renamed, description: null, event_types: ['price.created', 'price.updated'] });
    expect(await fatura.webhookEndpoints.update(created.id, {})).toEqual(cleared);
    expect(await fatura.webhookEndpoints.retrieve(created.id)).toEqual(cleared);
  });

  test('tells no events of itself', async () => {
    const shop = await newShop();
    const { id } = await create(shop);
    await shop.fatura.webhookEndpoints.update(id, { description: 'Loja' });
    await shop.fatura.webhookEndpoints.delete(id);
    expect((await shop.fatura.events.list().page()).data).toEqual([]);
  });

  test('of an id in another form does not exist', async () => {
    const { fatura } = await newShop();
    for (const unknown of ['we_1', 'nonsense', 'we_\0', 'evt_01kaj4w2n8e9r7t5v3x1z0q6d4']) {
      expect(await refusal(fatura.webhookEndpoints.retrieve(unknown))).toMatchObject({ code: 'RESOURCE_MISSING' });
      expect(await refusal(fatura.webhookEndpoints.update(unknown, {}))).toMatchObject({ code: 'RESOURCE_MISSING' });
      expect(await refusal(fatura.webhookEndpoints.delete(unknown))).toMatchObject({ code: 'RESOURCE_MISSING' });
    }
  });

  test('of the other mode or another account does not exist', async () => {
    const { live, fatura } = await newShop();
    const other = await api.newMerchant();
    const { id } = await fatura.webhookEndpoints.create({ url: URL_OF_RECEIVER, event_types: [] });
    for (const stranger of [live, other.fatura]) {
      expect(await refusal(stranger.webhookEndpoints.retrieve(id))).toMatchObject({
        status: 404,
        code: 'RESOURCE_MISSING',
      });
      expect(await refusal(stranger.webhookEndpoints.update(id, { description: 'x' }))).toMatchObject({ status: 404 });
      expect(await refusal(stranger.webhookEndpoints.delete(id))).toMatchObject({ status: 404 });
      expect((await stranger.webhookEndpoints.list().page()).data).toEqual([]);
    }
  });
});

describe('the limit of five', () => {
  test('holds in each mode, and a deleted endpoint makes room', async () => {
    const shop = await newShop();
    const made = await Promise.all(Array.from({ length: 5 }, () => create(shop)));
    expect(await refusal(create(shop))).toMatchObject({ status: 422, code: 'WEBHOOK_ENDPOINT_LIMIT' });
    const live = { url: 'https://1.1.1.1/hook', event_types: ['*' as const] };
    expect((await shop.live.webhookEndpoints.create(live)).live_mode).toBe(true);
    await shop.fatura.webhookEndpoints.delete(made[0]?.id ?? '');
    await create(shop);
    expect(await refusal(create(shop))).toMatchObject({ code: 'WEBHOOK_ENDPOINT_LIMIT' });
  });

  test('is not passed by registrations at the same moment', async () => {
    const shop = await newShop();
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => create(shop)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect((await shop.fatura.webhookEndpoints.list().page()).data).toHaveLength(5);
  });
});

test('regression-49-an endpoint beyond the limit, or one that is not there, is refused without a look-up', async () => {
  const shop = await newShop();
  await Promise.all(Array.from({ length: 5 }, () => create(shop)));
  const { deps } = api.composition;
  const sandbox = { accountId: shop.accountId, liveMode: false };
  const scope = await readScope(deps.pool, sandbox);
  const checkTarget = vi.fn(deps.sender.checkTarget);
  const spied = { ...deps, sender: { ...deps.sender, checkTarget } };
  const input = { url: 'http://10.0.0.1/hook', event_types: [] };
  await expect(createEndpoint(spied, scope, input)).rejects.toMatchObject({ code: 'WEBHOOK_ENDPOINT_LIMIT' });
  const unknown = 'we_01kaj4w2n8e9r7t5v3x1z0q6d4';
  await expect(updateEndpoint(spied, scope, unknown, input)).rejects.toMatchObject({ code: 'RESOURCE_MISSING' });
  expect(checkTarget).not.toHaveBeenCalled();
});

describe('the URL', () => {
  test.each([
    ['ftp://loja.example/hook', 400, 'PARAMETER_INVALID'],
    ['loja.example/hook', 400, 'PARAMETER_INVALID'],
    ['http:127.0.0.1:9/hook', 400, 'PARAMETER_INVALID'],
    ['http://user:secret@127.0.0.1/hook', 400, 'PARAMETER_INVALID'],
    ['http://10.0.0.1/hook', 422, 'WEBHOOK_URL_REFUSED'],
    ['http://169.254.169.254/latest/meta-data', 422, 'WEBHOOK_URL_REFUSED'],
    ['http://[fe80::1]/hook', 422, 'WEBHOOK_URL_REFUSED'],
  ])('%s is refused in the sandbox with %i %s', async (url, status, code) => {
    const shop = await newShop();
    const refused = { status, code, param: 'url', wireParam: 'webhook_endpoint.url' };
    expect(await refusal(create(shop, { url }))).toMatchObject(refused);
    const { id } = await create(shop);
    expect(await refusal(shop.fatura.webhookEndpoints.update(id, { url }))).toMatchObject(refused);
    expect((await shop.fatura.webhookEndpoints.retrieve(id)).url).toBe(URL_OF_RECEIVER);
  });

  test.each([
    ['http://1.1.1.1/hook', 400, 'PARAMETER_INVALID'],
    ['https://127.0.0.1/hook', 422, 'WEBHOOK_URL_REFUSED'],
    ['https://192.168.1.10/hook', 422, 'WEBHOOK_URL_REFUSED'],
  ])('%s is refused in live mode with %i %s, whatever the sandbox may reach', async (url, status, code) => {
    const { live } = await newShop();
    expect(await refusal(live.webhookEndpoints.create({ url, event_types: [] }))).toMatchObject({ status, code });
  });

  test('of a name that does not resolve now is taken: each delivery looks again', async () => {
    const { live } = await newShop();
    const created = await live.webhookEndpoints.create({ url: 'https://loja.invalid/hook', event_types: [] });
    expect(created.url).toBe('https://loja.invalid/hook');
  });

  test('of an endpoint that does not exist: the form is refused first, then the endpoint is missing', async () => {
    const { fatura } = await newShop();
    const unknown = 'we_01kaj4w2n8e9r7t5v3x1z0q6d4';
    expect(await refusal(fatura.webhookEndpoints.update(unknown, { url: 'loja' }))).toMatchObject({ status: 400 });
    expect(await refusal(fatura.webhookEndpoints.update(unknown, { url: 'http://10.0.0.1/' }))).toMatchObject({
      status: 404,
    });
  });
});

describe('a deleted endpoint', () => {
  test('is answered once and is gone', async () => {
    const shop = await newShop();
    const { id } = await create(shop);
    const kept = await create(shop);
    expect(await shop.fatura.webhookEndpoints.delete(id)).toEqual({ id, object: 'webhook_endpoint', deleted: true });
    const gone = { status: 404, code: 'RESOURCE_MISSING' };
    expect(await refusal(shop.fatura.webhookEndpoints.delete(id))).toMatchObject(gone);
    expect(await refusal(shop.fatura.webhookEndpoints.retrieve(id))).toMatchObject(gone);
    expect(await refusal(shop.fatura.webhookEndpoints.update(id, { description: 'x' }))).toMatchObject(gone);
    expect((await shop.fatura.webhookEndpoints.list().page()).data.map((endpoint) => endpoint.id)).toEqual([kept.id]);
  });

  test('ends its deliveries, and gets none of later events', async () => {
    const shop = await newShop();
    const { id } = await shop.fatura.webhookEndpoints.create({
      url: URL_OF_RECEIVER,
      event_types: ['product.created'],
    });
    const before = await eventOf(shop, (await newProduct(shop)).id, 'product.created');
    expect(await shop.fatura.events.deliveries(before)).toMatchObject({ delivery_status: 'pending' });
    await shop.fatura.webhookEndpoints.delete(id);
    expect(await shop.fatura.events.deliveries(before)).toMatchObject({
      delivery_status: 'failed',
      deliveries: { data: [{ webhook_endpoint: id, status: 'failed', next_attempt: null, attempts: [] }] },
    });
    const after = await eventOf(shop, (await newProduct(shop)).id, 'product.created');
    expect(await shop.fatura.events.deliveries(after)).toMatchObject({ delivery_status: 'not_sent' });
  });
});
