import type { CreatedCheckoutSession } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { newInvoice, unique } from '../../support/factories.ts';
import { SessionScene } from './session-scene.ts';

const scene = new SessionScene();

const pathOf = ({ url }: CreatedCheckoutSession): string => new URL(url).pathname;

const ana = (overrides: Record<string, string> = {}): Record<string, string> => ({
  name: 'Ana Souza',
  identifier: '529.982.247-25',
  email: `ana${unique()}@loja.test`,
  phone: '(11) 98765-4321',
  ...overrides,
});

const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin' };

interface Sending {
  readonly headers?: Record<string, string>;
  readonly body?: URLSearchParams | string | FormData | null;
}

/** Sends what a browser without a script sends of a form, and answers the page that came back. */
async function post(path: string, { headers = SAME_ORIGIN, body = null }: Sending = {}) {
  const response = await fetch(scene.api.baseUrl + path, { method: 'POST', headers, body, redirect: 'manual' });
  const markup = await response.text();
  return { status: response.status, headers: response.headers, markup };
}

const fill = (path: string, fields: Record<string, string>, headers?: Record<string, string>) =>
  post(path, { body: new URLSearchParams(fields), ...(headers === undefined ? {} : { headers }) });

const show = async (path: string): Promise<string> => (await fetch(scene.api.baseUrl + path)).text();

/** What the form shows of a field: its text, and what is wrong with it. */
function fieldIn(markup: string, name: string): { value: string; error: string | null } {
  const input = new RegExp(`<input id="buyer-${name}"[^>]*>`).exec(markup)?.[0] ?? '';
  const error = new RegExp(`<p class="error" id="buyer-${name}-error">([^<]*)</p>`).exec(markup)?.[1] ?? null;
  const value = / value="([^"]*)"/.exec(input)?.[1] ?? '';
  expect(input.includes('aria-invalid="true"'), name).toBe(error !== null);
  return { value, error };
}

const fieldsIn = (markup: string) =>
  Object.fromEntries(['name', 'identifier', 'email', 'phone'].map((name) => [name, fieldIn(markup, name)]));

/** Nobody has become known to a session. */
const expectUnfilled = async ({ id }: CreatedCheckoutSession, status = 'open'): Promise<void> =>
  expect(await scene.session(id)).toMatchObject({ status, customer: null, invoice: null, amount: null });

describe('the form of the buyer, sent without a script', () => {
  test('leads to the page, which offers PIX by a form too', async () => {
    const session = await scene.create({ customer_id: null, amount: 10_000 });
    const path = pathOf(session);
    const form = /<form method="post"[^>]*>/.exec(await show(path))?.[0] ?? '';
    expect(form).not.toContain('action');
    const filled = await fill(path, ana());
    expect(filled.status).toBe(303);
    const target = new URL(filled.headers.get('location') ?? '', scene.api.baseUrl + path);
    expect(target.pathname).toBe(path);
    expect(filled.headers.get('cache-control')).toBe('no-store');
    expect(await show(path)).toContain('Gerar código PIX');
    expect((await post(path)).status).toBe(303);
    expect(await show(path)).toMatch(/<textarea [^>]*>000201/);
    const { customer, amount } = await scene.session(session.id);
    expect(amount).toBe(10_000);
    expect(await scene.merchant.fatura.customers.retrieve(customer ?? '')).toMatchObject({
      name: 'Ana Souza',
      identifier: '52998224725',
      phone: '+5511987654321',
    });
  });

  test('comes back with what was typed, and says beside each field what is wrong with it', async () => {
    const session = await scene.create({ customer_id: null });
    const typed = { name: ' ', identifier: '529.982.247-24', email: 'ana@', phone: '11 98765-4321' };
    const { status, headers, markup } = await fill(pathOf(session), typed);
    expect([status, headers.get('cache-control')]).toEqual([400, 'no-store']);
    expect(markup).toContain('<title>Confira seus dados: compra de Loja do Teste</title>');
    expect(markup).toMatch(/role="alert"[^>]*><p>Confira os campos marcados\.<\/p>/);
    expect(fieldsIn(markup)).toEqual({
      name: { value: ' ', error: 'Informe seu nome completo.' },
      identifier: { value: '529.982.247-24', error: 'Confira o CPF ou CNPJ.' },
      email: { value: 'ana@', error: 'Confira o e-mail, como nome@exemplo.com.' },
      phone: { value: '11 98765-4321', error: null },
    });
    await expectUnfilled(session);
    expect((await fill(pathOf(session), ana())).status).toBe(303);
  });

  test('says what only the service finds wrong, and names missing fields', async () => {
    const session = await scene.create({ customer_id: null });
    const { status, markup } = await fill(pathOf(session), { name: 'Ana', phone: '(00) 00000-0000' });
    expect(status).toBe(400);
    expect(fieldsIn(markup)).toMatchObject({
      name: { value: 'Ana', error: null },
      identifier: { error: 'Informe seu CPF ou CNPJ.' },
      email: { error: 'Confira o e-mail, como nome@exemplo.com.' },
      phone: { value: '(00) 00000-0000', error: 'Confira este campo.' },
    });
  });

  test('shows what was typed as text', async () => {
    const session = await scene.create({ customer_id: null });
    const name = '"><script>alert(1)</script>';
    const { markup } = await fill(pathOf(session), ana({ name, email: 'none' }));
    expect(markup).not.toContain('<script>alert');
    expect(markup).toContain('value="&quot;>&lt;script>alert(1)&lt;/script>"');
  });

  test('finds the payment where the buyer is known already', async () => {
    const session = await scene.create({ customer_id: null });
    const path = pathOf(session);
    expect((await fill(path, ana())).status).toBe(303);
    const { customer } = await scene.session(session.id);
    expect((await fill(path, ana({ name: 'Outra Ana' }))).status).toBe(303);
    expect((await scene.session(session.id)).customer).toBe(customer);
  });

  test('comes too late from the deadline on', async () => {
    const session = await scene.create({ customer_id: null });
    await scene.pass(session);
    const { status, markup } = await fill(pathOf(session), ana());
    expect(status).toBe(409);
    expect(markup).toContain('O prazo para pagar acabou');
    await expectUnfilled(session, 'expired');
  });
});

describe('a form that nobody could have filled in', () => {
  const forged: [what: string, fields: Record<string, string>][] = [
    ['a total of its own', { total: '1', amount: '1' }],
    ['installments', { installments: '12' }],
    ['another customer', { customer_id: 'cus_01kaj4w2n8e9r7t5v3x1z0q6d4' }],
    ['a field of an object', { 'address[city]': 'Rio' }],
    ['a field of a prototype', { 'constructor[name]': 'y' }],
  ];
  test.each(forged)('with %s is refused', async (_, fields) => {
    const session = await scene.create({ customer_id: null });
    const { status, markup } = await fill(pathOf(session), { ...ana(), ...fields });
    expect(status).toBe(400);
    expect(fieldIn(markup, 'name')).toEqual({ value: 'Ana Souza', error: null });
    await expectUnfilled(session);
  });

  test('with a field twice, too many fields or too many bytes is refused', async () => {
    const session = await scene.create({ customer_id: null });
    const twice = new URLSearchParams([...Object.entries(ana()), ['name', 'Outra']]);
    expect((await post(pathOf(session), { body: twice })).status).toBe(400);
    const many = new URLSearchParams(Array.from({ length: 21 }, (_, nth) => [`field${nth}`, '']));
    expect((await post(pathOf(session), { body: many })).status).toBe(413);
    expect((await fill(pathOf(session), ana({ name: 'x'.repeat(9_000) }))).status).toBe(413);
    await expectUnfilled(session);
  });

  test('of another kind is refused', async () => {
    const session = await scene.create({ customer_id: null });
    const data = new FormData();
    for (const [name, value] of Object.entries(ana())) data.set(name, value);
    expect((await post(pathOf(session), { body: data })).status).toBe(415);
    const json = { headers: { ...SAME_ORIGIN, 'Content-Type': 'application/json' }, body: JSON.stringify(ana()) };
    expect((await post(pathOf(session), json)).status).toBe(415);
    await expectUnfilled(session);
  });

  test.each<[string, Record<string, string>]>([
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['another host of the same site', { 'Sec-Fetch-Site': 'same-site' }],
    ['a browser that tells the origin alone', { Origin: 'https://elsewhere.example' }],
    ['a browser that tells a hidden origin and another site', { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' }],
  ])('from %s is refused', async (_, headers) => {
    const session = await scene.create({ customer_id: null });
    const { status, markup } = await fill(pathOf(session), ana(), headers);
    expect(status).toBe(403);
    expect(markup).toContain('O pedido não veio desta página.');
    await expectUnfilled(session);
  });

  test.each<[string, Record<string, string>]>([
    ['tells nothing', {}],
    ['hides the origin of a page whose address is a secret', { Origin: 'null' }],
    ['tells that it is ours', { Origin: 'http://127.0.0.1:3000' }],
  ])('is believed where a browser %s', async (_, headers) => {
    const session = await scene.create({ customer_id: null });
    expect((await fill(pathOf(session), ana(), headers)).status).toBe(303);
  });

  test('at the page of an invoice changes nobody', async () => {
    const { id, customer } = await newInvoice(scene.merchant);
    const path = new URL(scene.deps.links.payment({ id, liveMode: false })).pathname;
    expect((await fill(path, ana())).status).toBe(409);
    expect(await scene.invoice(id)).toMatchObject({ customer });
  });

  test('is refused for a while after ten in a minute, with what was typed', async () => {
    const session = await scene.create({ customer_id: null });
    const path = pathOf(session);
    const statuses: number[] = [];
    for (let sent = 0; sent < 10; sent += 1) statuses.push((await fill(path, { name: 'Ana' })).status);
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 400));
    const refused = await fill(path, ana());
    expect([refused.status, fieldIn(refused.markup, 'name').value]).toEqual([429, 'Ana Souza']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await expectUnfilled(session);
  });
});
