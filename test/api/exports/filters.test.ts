import type { ExportCreate, List } from '@fatura/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { exportColumns, exportTypes } from '../../../contract/export-columns.ts';
import { filtersOf } from '../../../contract/exports.ts';
import { contract } from '../../../contract/index.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { cards, payByCard } from '../../support/cards.ts';
import { CPF, newCustomer, newInvoice } from '../../support/factories.ts';
import { subscribe, subscribeByCard } from '../../support/subscriptions.ts';
import { send, violationsOf } from '../requests.ts';
import { idsIn, tableOf } from './exports-scene.ts';

const HOUR = 3_600;

/** A resource by its list alone, whose filters the export has as well. */
interface Listed {
  // biome-ignore lint/suspicious/noExplicitAny: each list takes filters of its own
  list(filters: any): List<{ id: string }>;
}

let api: TestApi;
let shop: Merchant;
let ids: { customer: string; invoice: string; subscription: string; price: string };
let noon = 0;

/** Objects of every kind and in several states, an hour apart from one another. */
beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  const { fatura } = shop;
  const customer = await newCustomer(shop, { email: 'ana@example.com', external_code: 'ana' });
  for (const amount of [1_000, 4_990, 9_990]) {
    const bill = async () => {
      api.clock.advance(HOUR);
      return (await newInvoice(shop, { amount, customer_id: customer.id })).id;
    };
    await bill();
    const { payment_intent: pix } = await fatura.invoices.checkout(await bill(), { payment_method_type: 'pix' });
    noon = api.clock.now();
    await fatura.testHelpers.paymentIntents.payPix(pix ?? '', { scenario: 'paid_twice' });
    const { payment_intent: card } = await payByCard(shop, await bill());
    await fatura.refunds.create({ payment_intent: card ?? '', amount: 500 });
    await payByCard(shop, await bill(), { number: cards.issuer_declined }).catch(() => {});
  }
  api.clock.advance(HOUR);
  await newCustomer(shop, { external_code: 'bia' });
  await subscribe(shop);
  const { id: subscription, latest_invoice: invoice, item } = await subscribeByCard(shop);
  ids = { customer: customer.id, invoice: invoice ?? '', subscription, price: item.price.id };
});
afterAll(() => api.stop());

/** Filters of each list, one by one and several at once. */
const filters = (): ExportCreate[] => [
  { type: 'invoices' },
  ...(['draft', 'open', 'paid', 'void'] as const).map((status) => ({ type: 'invoices', filters: { status } }) as const),
  { type: 'invoices', filters: { customer_id: ids.customer } },
  { type: 'invoices', filters: { subscription_id: ids.subscription } },
  { type: 'invoices', filters: { amount_gte: 4_990, payment_method_type: 'pix' } },
  { type: 'invoices', filters: { amount_lte: 4_990, status: 'paid' } },
  { type: 'invoices', filters: { paid_at_gte: noon } },
  { type: 'invoices', filters: { created_lte: noon, created_gte: noon - 6 * HOUR } },
  { type: 'invoices', filters: { customer_id: 'cus_00000000000000000000000000' } },
  { type: 'payment_intents' },
  { type: 'payment_intents', filters: { payment_method_type: 'card', status: 'failed' } },
  { type: 'payment_intents', filters: { invoice_id: ids.invoice } },
  { type: 'payment_intents', filters: { paid_at_lte: noon } },
  { type: 'customers' },
  { type: 'customers', filters: { email: 'ANA@example.com' } },
  { type: 'customers', filters: { identifier: '529.982.247-25' } },
  { type: 'customers', filters: { external_code: 'bia' } },
  { type: 'subscriptions' },
  { type: 'subscriptions', filters: { status: 'active', price_id: ids.price } },
  { type: 'refunds' },
  { type: 'refunds', filters: { created_gte: noon } },
  { type: 'pix_receipts' },
  { type: 'pix_receipts', filters: { paid_at_gte: noon } },
  { type: 'pix_receipts', filters: { paid_at_lte: noon - 1 } },
];

test('a file has what its list has, in the same order, filter by filter', async () => {
  const { fatura } = shop;
  const lists: Readonly<Record<ExportCreate['type'], Listed>> = {
    invoices: fatura.invoices,
    payment_intents: fatura.paymentIntents,
    customers: fatura.customers,
    subscriptions: fatura.subscriptions,
    refunds: fatura.refunds,
    pix_receipts: fatura.pixReceipts,
  };
  const found: number[] = [];
  for (const asked of filters()) {
    const list = await lists[asked.type].list({ ...asked.filters, limit: 3 }).all({ max: 1_000 });
    const file = await tableOf(api, fatura, { ...asked, columns: ['id'] } as ExportCreate);
    expect(idsIn(file), JSON.stringify(asked)).toEqual(list.map(({ id }) => id));
    found.push(list.length);
  }
  expect(found.filter((count) => count > 0).length).toBeGreaterThan(15);
});

test('the filters and columns of an export are told as they were sent', async () => {
  const filters = { status: 'paid', amount_gte: 5, customer_id: ids.customer } as const;
  const columns = ['total', 'id'] as const;
  const made = await shop.fatura.exports.create({ type: 'invoices', filters, columns: [...columns] });
  expect(made).toMatchObject({ type: 'invoices', filters, columns });
  const all = await shop.live.exports.create({ type: 'refunds' });
  expect(all).toMatchObject({ filters: {}, columns: exportColumns.refunds });
});

describe('what an export refuses', () => {
  const asked = (body: unknown) => send(api, { method: 'POST', path: '/exports', key: shop.sandboxKey, body });

  const refused: [what: object, ...violations: string[]][] = [
    [{}, 'export PARAMETER_MISSING'],
    [{ export: {} }, 'export.type PARAMETER_MISSING'],
    [{ export: { type: 'disputes' } }, 'export.type PARAMETER_INVALID'],
    [{ export: { type: 'invoices', filters: { limit: 5 } } }, 'export.filters.limit PARAMETER_UNKNOWN'],
    [
      { export: { type: 'invoices', filters: { starting_after: 'in_x' } } },
      'export.filters.starting_after PARAMETER_UNKNOWN',
    ],
    [{ export: { type: 'refunds', filters: { status: 'paid' } } }, 'export.filters.status PARAMETER_UNKNOWN'],
    [{ export: { type: 'invoices', filters: { amount_gte: '5' } } }, 'export.filters.amount_gte PARAMETER_INVALID'],
    [{ export: { type: 'invoices', filters: { amount_gte: -1 } } }, 'export.filters.amount_gte PARAMETER_INVALID'],
    [
      { export: { type: 'invoices', filters: { customer_id: 'maria' } } },
      'export.filters.customer_id PARAMETER_INVALID',
    ],
    [{ export: { type: 'customers', filters: { email: 'maria' } } }, 'export.filters.email PARAMETER_INVALID'],
    [{ export: { type: 'customers', filters: { identifier: '1' } } }, 'export.filters.identifier PARAMETER_INVALID'],
    [{ export: { type: 'invoices', columns: [] } }, 'export.columns PARAMETER_INVALID'],
    [{ export: { type: 'invoices', columns: ['name'] } }, 'export.columns[0] PARAMETER_INVALID'],
    [{ export: { type: 'invoices', columns: ['id', 'total', 'id'] } }, 'export.columns PARAMETER_INVALID'],
  ];

  test.each(refused)('%j', async (body, ...violations) => {
    expect(violationsOf(await asked(body))).toEqual([400, ...violations]);
  });

  test('names the words that a filter may be, and never repeats a CPF', async () => {
    const { body: status } = await asked({ export: { type: 'invoices', filters: { status: 'payed' } } });
    expect(status).toMatchObject({
      error: { message: 'export.filters.status must be one of draft, open, paid, uncollectible, void, got "payed"' },
    });
    const { body: cpf } = await asked({ export: { type: 'customers', filters: { identifier: '52998224726' } } });
    expect(JSON.stringify(cpf)).not.toContain(CPF.slice(0, 6));
  });
});

test('each list may be filtered in an export by all that its own query takes but pages', () => {
  const routers = {
    invoices: contract.invoices,
    payment_intents: contract.paymentIntents,
    customers: contract.customers,
    subscriptions: contract.subscriptions,
    refunds: contract.refunds,
    pix_receipts: contract.pixReceipts,
  };
  for (const type of exportTypes) {
    // Of either form; only its names are looked at.
    const query: z.ZodObject<z.ZodRawShape> = routers[type].list.query;
    const names = Object.keys(query.shape).filter(
      (name) => !['limit', 'starting_after', 'ending_before'].includes(name),
    );
    const given = Object.fromEntries(names.map((name) => [name, undefined]));
    expect(filtersOf(query).safeParse(given).success).toBe(true);
    expect(names.length).toBeGreaterThan(1);
  }
});
