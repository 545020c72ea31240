import type { ExportCreate } from '@fatura/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportColumns, exportTypes } from '../../../contract/export-columns.ts';
import { columnsOf } from '../../../server/exports/columns.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { cards, payByCard } from '../../support/cards.ts';
import { newCustomer, newInvoice, newPrice } from '../../support/factories.ts';
import { subscribeByCard, subscribeByPix } from '../../support/subscriptions.ts';
import { exported, idsIn, open, tableAt, tableOf } from './exports-scene.ts';

/** `05/11/2027 09:08:07` in America/Sao_Paulo. */
const MOMENT = Date.parse('2027-11-05T12:08:07Z') / 1_000;
const SHOWN = '05/11/2027 09:08:07';
const DAY_LATER = '06/11/2027 09:08:07';
const DAY = 86_400;

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
  api.clock.advance(MOMENT - api.clock.now());
});
afterAll(() => api.stop());

test('a file is UTF-8 with its mark, semicolons, and lines that end as Excel has them', async () => {
  const shop = await api.newMerchant();
  const { id } = await newCustomer(shop, { name: 'José; "Zé" Açaí' });
  const { url } = await exported(api, shop.fatura, { type: 'customers', columns: ['id', 'name', 'email'] });
  const bytes = Buffer.from(await (await open(api, url)).arrayBuffer());
  const { email } = await shop.fatura.customers.retrieve(id);
  expect(bytes.toString('utf8')).toBe(`\uFEFFCliente;Nome;E-mail\r\n${id};"José; ""Zé"" Açaí";${email}\r\n`);
  expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
});

test('a list without objects is a file of its header', async () => {
  const shop = await api.newMerchant();
  const file = await exported(api, shop.fatura, { type: 'refunds' });
  expect(file).toMatchObject({ status: 'completed', rows: 0 });
  expect(await (await open(api, file.url)).text()).toBe(
    'Cobrança devolvida;Criada em;Valor devolvido;Situação;Partes\r\n',
  );
});

describe('the file of', () => {
  test('invoices has their money with a comma, their instants as in Brasília, their words in Portuguese', async () => {
    const shop = await api.newMerchant();
    const customer = await newCustomer(shop, { name: 'Maria', email: 'maria@example.com' });
    const price = await newPrice(shop, { unit_amount: 123_456 });
    const { id } = await newInvoice(shop, {
      customer_id: customer.id,
      line_items: [{ price_id: price.id, quantity: 2 }],
      discounts: [{ type: 'fixed', amount_cents: 7 }],
      description: 'Pedido 7',
      external_code: 'pedido-7',
      metadata: [{ canal: 'site' }],
      due_at: MOMENT + DAY,
    });
    const paid = await payByCard(shop, id);
    const product = await shop.fatura.products.retrieve(price.product);
    const { header, rows } = await tableOf(api, shop.fatura, { type: 'invoices' });
    const shown = Object.fromEntries(header.map((title, column) => [title, rows[0]?.[column]]));
    expect(rows).toHaveLength(1);
    expect(shown).toEqual({
      Fatura: id,
      'Criada em': SHOWN,
      Situação: 'Paga',
      'Vence em': DAY_LATER,
      'Paga em': SHOWN,
      Cliente: customer.id,
      'Nome do cliente': 'Maria',
      'E-mail do cliente': 'maria@example.com',
      Descrição: 'Pedido 7',
      Itens: `2 × ${product.name}`,
      Total: '2469,05',
      'Valor pago': '2469,05',
      'Valor devolvido': '0,00',
      'Valor contestado': '0,00',
      'Valor a pagar': '0,00',
      'Código externo': 'pedido-7',
      Origem: 'Avulsa',
      Assinatura: '',
      'Início do período': '',
      'Fim do período': '',
      Cobrança: paid.payment_intent,
      'Aberta em': SHOWN,
      'Anulada em': '',
      'Incobrável em': '',
      Recibo: paid.receipt_url,
      Descontos: JSON.stringify(paid.discounts.data),
      Metadados: '[{"canal":"site"}]',
    });
  });

  test('payment intents has the method and why a card was declined', async () => {
    const shop = await api.newMerchant();
    await payByCard(shop, (await newInvoice(shop, { amount: 5_05 })).id, { number: cards.insufficient_funds }).catch(
      () => {},
    );
    const columns = ['amount', 'status', 'payment_method_type', 'decline_reason', 'attempts', 'installments'] as const;
    expect(await tableOf(api, shop.fatura, { type: 'payment_intents', columns: [...columns] })).toEqual({
      header: ['Valor', 'Situação', 'Método', 'Motivo da recusa', 'Tentativas', 'Parcelas'],
      rows: [['5,05', 'Recusada', 'Cartão', 'Sem limite', '1', '1']],
    });
  });

  test('customers has CPF and CNPJ with their marks, so that no zero is lost, and an address in columns', async () => {
    const shop = await api.newMerchant();
    const address = {
      zip_code: '01310-200',
      street: 'Avenida Paulista',
      number: '1578',
      city: 'São Paulo',
      state: 'SP',
    };
    await newCustomer(shop, { identifier: '00000000191', address, phone: '(11) 98765-4321' });
    await newCustomer(shop, { identifier: '12ABC34501DE35' });
    const columns = [
      'identifier',
      'description',
      'phone',
      'address.zip_code',
      'address.city',
      'address.complement',
    ] as const;
    const { rows } = await tableOf(api, shop.fatura, { type: 'customers', columns: [...columns] });
    expect(rows).toEqual([
      ['12.ABC.345/01DE-35', 'Pessoa jurídica', '', '', '', ''],
      ['000.000.001-91', 'Pessoa física', "'+5511987654321", '01310200', 'São Paulo', ''],
    ]);
  });

  test('subscriptions has what they bill and how often', async () => {
    const shop = await api.newMerchant();
    const { id, item } = await subscribeByCard(shop);
    const columns = ['id', 'status', 'item.price.unit_amount', 'item.quantity', 'item.price.interval'] as const;
    const { rows } = await tableOf(api, shop.fatura, { type: 'subscriptions', columns: [...columns] });
    const unit = item.price.unit_amount;
    expect(rows).toEqual([
      [id, 'Ativa', `${Math.trunc(unit / 100)},${String(unit % 100).padStart(2, '0')}`, '1', 'Mês'],
    ]);
  });

  test('refunds has one row for each payment', async () => {
    const shop = await api.newMerchant();
    const { payment_intent: intent } = await payByCard(shop, (await newInvoice(shop)).id);
    await shop.fatura.refunds.create({ payment_intent: intent ?? '', amount: 100 });
    await shop.fatura.refunds.create({ payment_intent: intent ?? '', amount: 23 });
    const { rows } = await tableOf(api, shop.fatura, { type: 'refunds', columns: ['id', 'amount', 'status'] });
    expect(rows).toEqual([[intent, '1,23', 'Devolvido']]);
  });
});

test('every column of every list is headed once, and has a value wherever the API has one', async () => {
  const shop = await api.newMerchant();
  const { latest_invoice: invoice } = await subscribeByCard(shop);
  const { payment_intent: intent } = await shop.fatura.invoices.retrieve(invoice ?? '');
  await shop.fatura.refunds.create({ payment_intent: intent ?? '', amount: 1 });
  await subscribeByPix(shop);
  for (const type of exportTypes) {
    const { header, rows } = await tableOf(api, shop.fatura, { type } as ExportCreate);
    expect(new Set(header).size).toBe(exportColumns[type].length);
    expect(header).toEqual(exportColumns[type].map((name) => Reflect.get(columnsOf[type], name)[0]));
    expect(rows[0]).toHaveLength(header.length);
  }
});

test('a value that begins as a formula does is text', async () => {
  const shop = await api.newMerchant();
  const names = ['=HYPERLINK("http://evil.test";"a")', '+1+1', '-1', '@SUM(A1)', '＝1', "'=1", 'a=1'];
  for (const name of names) await newCustomer(shop, { name });
  const { rows } = await tableOf(api, shop.fatura, { type: 'customers', columns: ['name'] });
  const defused = names.map((name) => (/^[=+\-@＝]/.test(name) ? `'${name}` : name));
  expect(rows.flat()).toEqual(defused.toReversed());
});

test('lines and marks within a value stay within it', async () => {
  const shop = await api.newMerchant();
  const description = 'uma; "duas"\nlinhas\r\n=1';
  await newInvoice(shop, { description, metadata: [{ nota: 'a;b\n"c"' }] });
  const file = await exported(api, shop.fatura, { type: 'invoices', columns: ['description', 'metadata'] });
  const { rows } = await tableAt(api, file);
  expect(rows).toEqual([[description, JSON.stringify([{ nota: 'a;b\n"c"' }])]]);
});

test('live mode and sandbox are apart', async () => {
  const shop = await api.newMerchant();
  await newCustomer(shop);
  const { id } = await newCustomer({ ...shop, fatura: shop.live });
  const live = await exported(api, shop.live, { type: 'customers' });
  expect(live.live_mode).toBe(true);
  expect(idsIn(await tableAt(api, live))).toEqual([id]);
});
