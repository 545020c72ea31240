import type { CheckoutSession } from '@fatura/sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readScope } from '../../../server/accounts/scope.ts';
import { looksLikeName } from '../../../server/customers/name.ts';
import { sendMails } from '../../../server/mail/sending.ts';
import { welcomeOf } from '../../../server/mail/typed-email.ts';
import { newInvoice, unique } from '../../support/factories.ts';
import { mailsOf, remindOf } from '../../support/mails.ts';
import { passUntil, payByPix } from '../../support/subscriptions.ts';
import { buyer, PageScene, pathOf } from '../checkout/page-scene.ts';
import { sessionBody } from '../checkout/session-scene.ts';
import { refusal } from '../payments/payment-scene.ts';

const scene = new PageScene();
const DAY = 86_400;
const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin' };

const typed = (overrides: object = {}) => ({ ...buyer, email: `ana${unique()}@outra.test`, ...overrides });

/** A session whose buyer a page has named. */
async function filled(session: { id: string; url: string }, form: object = typed()): Promise<CheckoutSession> {
  const { status } = await scene.send(`${pathOf(session)}/buyer`, { body: form });
  expect(status).toBe(200);
  return scene.session(session.id);
}

const sale = async (form?: object): Promise<CheckoutSession> => filled(await scene.create({ customer_id: null }), form);

/** A subscription whose first bill is free, and is begun with nothing but a form. */
const freeBeginning = async (form?: object): Promise<CheckoutSession> =>
  filled(
    await scene.create({
      customer_id: null,
      mode: 'subscription',
      discounts: [{ type: 'percentage', percentage: 100, cycles: 1 }],
    }),
    form,
  );

const lettersOf = async (invoice: string | null) => {
  const letters = await mailsOf(scene.api, invoice ?? '');
  return letters.map(({ occasion, step }) => (step === null ? occasion : `${occasion} ${step}`));
};

const remind = (invoice: string | null, step: 0 | 1 | 3 | 7) =>
  remindOf(scene.api, scene.merchant, { id: invoice ?? '', step });

/** The page of the link that a letter leads to. */
async function linkIn(invoice: string | null): Promise<string> {
  const [letter] = (await mailsOf(scene.api, invoice ?? '')).filter(({ occasion }) => occasion === 'confirmation');
  const link = /Para confirmar, acesse:\n(\S+)/.exec(letter?.body_text ?? '')?.[1] ?? '';
  expect(letter?.body_html).toContain(link);
  return new URL(link).pathname;
}

async function look(path: string, options: RequestInit = {}) {
  const response = await fetch(scene.api.baseUrl + path, { redirect: 'manual', ...options });
  return { status: response.status, location: response.headers.get('Location'), markup: await response.text() };
}
const press = (path: string, headers: Record<string, string> = SAME_ORIGIN) => look(path, { method: 'POST', headers });

describe('an address that its buyer typed', () => {
  test('is asked once to be confirmed, and gets nothing else before that', async () => {
    const { id, invoice } = await sale();
    for (const step of [0, 1, 3] as const) await remind(invoice, step);
    expect(await lettersOf(invoice)).toEqual(['confirmation']);
    const [letter] = await mailsOf(scene.api, invoice ?? '');
    expect(letter).toMatchObject({
      status: 'queued',
      recipient_name: '',
      subject: '[Teste] Confirme o seu e-mail – Loja do Teste',
      body_text: expect.stringMatching(
        /^Olá!\n\nEste endereço foi informado em uma compra em Loja do Teste\. .*\n\nReferente a: .*\nValor: R\$ 99,90\n/,
      ),
    });
    expect(letter?.body_text).not.toContain(scene.deps.links.payment({ id: invoice ?? '', liveMode: false }));
    expect(letter?.body_text).not.toContain(id);
  });

  test('is confirmed by the button of its page alone, and reminded from then on', async () => {
    const { invoice } = await sale();
    await remind(invoice, 0);
    const path = await linkIn(invoice);
    for (const method of ['GET', 'HEAD', 'GET']) expect(await look(path, { method })).toMatchObject({ status: 200 });
    await remind(invoice, 1);
    expect(await lettersOf(invoice)).toEqual(['confirmation']);

    expect((await look(path)).markup).toContain('Confirmar e-mail');
    const { status, location } = await press(path);
    expect([status, location]).toEqual([303, `./${path.split('/').at(-1)}`]);
    const { markup } = await look(path);
    expect(markup).toContain('E-mail confirmado');
    expect(markup).not.toContain('<form');
    expect(markup).toContain(
      `href="../../${new URL(scene.deps.links.payment({ id: invoice ?? '', liveMode: false })).pathname.slice(1)}"`,
    );
    await remind(invoice, 3);
    expect(await lettersOf(invoice)).toEqual(['reminder 3', 'confirmation']);
  });

  test('is confirmed once: a second press changes nothing', async () => {
    const { invoice, customer } = await sale();
    await remind(invoice, 0);
    const path = await linkIn(invoice);
    await press(path);
    const confirmedAt = () => scene.rows('SELECT confirmed_at FROM typed_email WHERE id = $1', customer);
    const [before] = await confirmedAt();
    expect(before).toEqual({ confirmed_at: scene.api.clock.now() });
    scene.api.clock.advance(60);
    expect(await press(path)).toMatchObject({ status: 303 });
    expect(await confirmedAt()).toEqual([before]);
  });

  test('is not confirmed from another site, by another link, or before it was asked', async () => {
    const { invoice, customer } = await sale();
    const early = new URL(scene.deps.links.confirmation({ id: customer ?? '', liveMode: false })).pathname;
    expect([(await look(early)).status, (await press(early)).status]).toEqual([404, 404]);
    await remind(invoice, 0);
    const path = await linkIn(invoice);
    expect(path).toBe(early);
    expect(await press(path, { 'Sec-Fetch-Site': 'cross-site' })).toMatchObject({ status: 403 });
    const forged = path.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    expect([(await look(forged)).status, (await press(forged)).status]).toEqual([404, 404]);
    const bill = new URL(scene.deps.links.payment({ id: invoice ?? '', liveMode: false })).pathname.split('/').at(-1);
    expect(await press(`/confirm/${customer}/${bill}`)).toMatchObject({ status: 404 });
    await remind(invoice, 1);
    expect(await lettersOf(invoice)).toEqual(['confirmation']);
  });

  test('is confirmed within seven days, and never asked again', async () => {
    const { invoice } = await sale();
    await remind(invoice, 0);
    const path = await linkIn(invoice);
    scene.api.clock.advance(7 * DAY - 1);
    expect(await look(path)).toMatchObject({ status: 200 });
    scene.api.clock.advance(1);
    expect([(await look(path)).status, (await press(path)).status]).toEqual([410, 410]);
    await remind(invoice, 7);
    expect(await lettersOf(invoice)).toEqual(['confirmation']);
  });

  test('is asked once in seven days, however many customers are made with it', async () => {
    const form = typed();
    const [one, other] = [await sale(form), await sale({ ...form, identifier: '111.444.777-35' })];
    expect(one.customer).not.toBe(other.customer);
    await remind(one.invoice, 0);
    await remind(other.invoice, 0);
    expect([await lettersOf(one.invoice), await lettersOf(other.invoice)]).toEqual([['confirmation'], []]);
    scene.api.clock.advance(7 * DAY);
    await remind(other.invoice, 1);
    expect(await lettersOf(other.invoice)).toEqual(['confirmation']);
  });

  test('is asked once by reminders at the same time', async () => {
    const { invoice } = await sale();
    await Promise.all(([0, 1, 3, 7] as const).map((step) => remind(invoice, step)));
    expect(await lettersOf(invoice)).toEqual(['confirmation']);
  });

  test('is written to once its customer has paid, and a free bill is no payment', async () => {
    const form = typed();
    const { customer, subscription } = await freeBeginning(form);
    expect(await scene.merchant.fatura.subscriptions.retrieve(subscription ?? '')).toMatchObject({ status: 'active' });
    const collected = { api: scene.api, merchant: scene.merchant, id: subscription ?? '' };
    await passUntil(collected, scene.api.clock.now() + 33 * DAY);
    const [bill] = await scene.merchant.fatura.invoices
      .list({ customer_id: customer ?? '', status: 'open' })
      .all({ max: 5 });
    // Asked once, as it began, and told nothing else.
    expect(await lettersOf(bill?.id ?? '')).toEqual([]);
    const asked = await scene.rows('SELECT occasion, subscription_id FROM mail WHERE customer_id = $1', customer);
    expect(asked).toEqual([{ occasion: 'confirmation', subscription_id: subscription }]);
    await payByPix(scene.merchant, bill?.id ?? '');
    const { id } = await newInvoice(scene.merchant, { customer_id: customer ?? '' });
    await remind(id, 0);
    expect(await lettersOf(id)).toEqual(['reminder 0']);
  });

  test('that the merchant has replaced is as good as any other of its', async () => {
    const { customer } = await sale();
    const { fatura } = scene.merchant;
    await fatura.customers.update(customer ?? '', { email: `maria${unique()}@loja.test` });
    const { id } = await newInvoice(scene.merchant, { customer_id: customer ?? '' });
    await remind(id, 0);
    expect(await lettersOf(id)).toEqual(['reminder 0']);
  });

  test('of a customer that the merchant had made is written to at once', async () => {
    const form = typed();
    const { name, email, identifier } = form;
    await scene.merchant.fatura.customers.create({ name, email, identifier });
    const { invoice } = await sale(form);
    await remind(invoice, 0);
    expect(await lettersOf(invoice)).toEqual(['reminder 0']);
  });

  test('is asked by the merchant that sends its bill, whom a second wish is refused', async () => {
    const { invoice } = await sale();
    const send = () => scene.merchant.fatura.invoices.send(invoice ?? '');
    expect(await send()).toMatchObject({ id: invoice });
    await expect(send()).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
    expect(await lettersOf(invoice)).toEqual(['confirmation']);
    await press(await linkIn(invoice));
    await send();
    expect(await lettersOf(invoice)).toEqual(['confirmation', 'sent']);
  });

  test('leaves nothing behind of a customer that is anonymized', async () => {
    const { customer, invoice } = await sale();
    await remind(invoice, 0);
    const path = await linkIn(invoice);
    await press(path);
    const session = await scene.rows('SELECT id FROM checkout_session WHERE customer_id = $1', customer);
    await scene.merchant.fatura.checkoutSessions.expire(String(session[0]?.id));
    await scene.merchant.fatura.customers.anonymize(customer ?? '');
    expect(
      await scene.rows('SELECT email_index, asked_at, confirmed_at FROM typed_email WHERE id = $1', customer),
    ).toEqual([{ email_index: null, asked_at: null, confirmed_at: null }]);
    expect(await look(path)).toMatchObject({ status: 404 });
  });
});

describe('whatever a visitor of a live session types', () => {
  const hostile = fc.oneof(
    fc.constantFrom(
      'Ganhou! Acesse evil.test/premio',
      'Sua conta foi bloqueada, ligue 0800 123 4567',
      'Maria\r\nBcc: todos@loja.test',
      '<a href="https://evil.test">clique</a>',
      '"><script>alert(1)</script>',
      '{{7*7}} #{7*7}',
      'Maria & Filhos 24h',
    ),
    fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 80 })
      .filter((name) => /\S/.test(name) && !/[\p{Cc}\p{Cs}]/u.test(name)),
  );

  async function liveSale(name: string): Promise<{ status: number; invoice: string | null; form: { email: string } }> {
    const live = await scene.merchant.live.checkoutSessions.create(await liveBody());
    const form = typed({ name });
    const { status } = await scene.send(`${pathOf(live)}/buyer`, { body: form });
    const { invoice } = await scene.merchant.live.checkoutSessions.retrieve(live.id);
    return { status, invoice, form };
  }
  const liveBody = () => sessionBody({ ...scene.merchant, fatura: scene.merchant.live }, { customer_id: null });

  test('no letter, before or after a confirmation, carries it unless it looks like a name', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (name) => {
        const { status, invoice } = await liveSale(name);
        if (status !== 200) {
          expect(invoice).toBeNull();
          return;
        }
        await remindOf(scene.api, scene.merchant, { id: invoice ?? '', step: 0, liveMode: true });
        await press(await linkIn(invoice));
        await remindOf(scene.api, scene.merchant, { id: invoice ?? '', step: 1, liveMode: true });
        const letters = await mailsOf(scene.api, invoice ?? '');
        expect(letters.map(({ occasion }) => occasion)).toEqual(['reminder', 'confirmation']);
        const [reminder, confirmation] = letters;
        expect(confirmation?.recipient_name).toBe('');
        if (looksLikeName(name.trim().replaceAll(/\s+/g, ' '))) return;
        expect(reminder?.recipient_name).toBe('');
        expect(reminder?.body_text).toMatch(/^Olá!\n/);
        expect(reminder?.body_html).toContain('<p>Olá!</p>');
      }),
      { numRuns: 25 },
    );
  });

  test('a name that leads to a site is refused by the page, and told in words', async () => {
    for (const name of ['Ganhe em evil.test', 'www evil', 'https://evil']) {
      const session = await scene.create({ customer_id: null });
      const refused = await scene.send(`${pathOf(session)}/buyer`, { body: typed({ name }) });
      expect(refused).toMatchObject({ status: 400, problem: { code: 'PARAMETER_INVALID', fields: ['name'] } });
      const body = new URLSearchParams(typed({ name }) as Record<string, string>);
      const { status, markup } = await look(pathOf(session), { method: 'POST', headers: SAME_ORIGIN, body });
      expect([status, markup.includes('Escreva só o nome, sem endereço de site')]).toEqual([400, true]);
      expect(await scene.session(session.id)).toMatchObject({ customer: null });
    }
  });
});

test('two customers of one address that are written to together are asked once', async () => {
  const form = typed();
  const bills = [await sale(form), await sale(form)];
  const scope = await readScope(scene.deps.pool, { accountId: scene.merchant.accountId, liveMode: false });
  const welcomes = await scene.deps.transaction(scope, (tx) =>
    Promise.all(bills.map(({ customer }) => welcomeOf(tx, { customerId: customer ?? '', email: form.email }))),
  );
  expect(welcomes.toSorted()).toEqual(['confirmation', 'none']);
});

test('a letter that asks is not sent any more once the address is confirmed', async () => {
  const { invoice } = await sale({ ...typed(), email: 'dono@loja.test' });
  await remind(invoice, 0);
  await press(await linkIn(invoice));
  Object.assign(scene.deps, { mailer: { send: async () => ({ kind: 'accepted' }), close: () => {} } });
  await sendMails(scene.deps, { mode: 'sandbox', told: () => {} });
  expect((await mailsOf(scene.api, invoice ?? ''))[0]).toMatchObject({ occasion: 'confirmation', status: 'dropped' });
});
