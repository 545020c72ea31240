import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { chargeReconciliationStep } from '../../../server/payments/card/reconciliation.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { troubleBank } from '../../support/bank.ts';
import { cards, payByCard } from '../../support/cards.ts';
import { newInvoice, newPrice, newProduct } from '../../support/factories.ts';
import { Failpoints } from '../../support/failpoints.ts';

const DAY = 86_400;

const failpoints = new Failpoints();
let api: TestApi;
let shop: Merchant;
let bank: ReturnType<typeof troubleBank>;

beforeAll(async () => {
  api = await startApi({ failpoint: failpoints.hook });
  shop = await api.newMerchant();
  bank = troubleBank(api);
});
afterEach(() => bank.recovers());
afterAll(() => api.stop());

/** The path of an invoice's link, at the address that the test listens on. */
function pathOf(invoice: string): string {
  return new URL(api.composition.deps.links.payment({ id: invoice, liveMode: false })).pathname;
}

interface Page {
  readonly status: number;
  readonly headers: Headers;
  /** The page as it is sent. */
  readonly markup: string;
  /** What a reader sees of it, in one line. */
  readonly text: string;
  readonly code: string | null;
  readonly hasButton: boolean;
}

async function request(path: string, method: 'GET' | 'POST' = 'GET'): Promise<Page> {
  const response = await fetch(`${api.baseUrl}${path}`, { method, redirect: 'manual' });
  const markup = await response.text();
  const shown = markup.replace(/<(script|title|textarea|noscript)\b[\s\S]*?<\/\1>/g, '');
  return {
    status: response.status,
    headers: response.headers,
    markup,
    text: shown
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
    code: /<textarea[^>]* readonly[^>]*>([^<]*)<\/textarea>/.exec(markup)?.[1] ?? null,
    hasButton:
      /<form class="new-code" method="post"><button[^>]* type="submit"[^>]*>Gerar (?:novo )?código PIX<\/button><\/form>/.test(
        markup,
      ),
  };
}

const post = (path: string) => request(path, 'POST');

async function anInvoice(overrides: Parameters<typeof newInvoice>[1] = {}) {
  const product = await newProduct(shop, { name: 'Plano Ouro' });
  const price = await newPrice(shop, { product_id: product.id });
  return newInvoice(shop, { line_items: [{ price_id: price.id, quantity: 1 }], ...overrides });
}

const qrOf = async (invoice: string) => {
  const { payment_method: method } = await shop.fatura.invoices.checkout(invoice, { payment_method_type: 'pix' });
  return method?.pix;
};

describe('the page of a payment link', () => {
  test('shows who asks how much, what for and until when, and a button', async () => {
    const { id } = await anInvoice({ due_at: Date.UTC(2026, 10, 30, 15) / 1_000 });
    const page = await request(pathOf(id));
    expect(page).toMatchObject({ status: 200, code: null, hasButton: true });
    expect(page.text).toBe(
      'Ambiente de teste: nenhum valor será cobrado. Loja do Teste R$ 99,90 Em aberto Vencimento 30/11/2026 ' +
        'Plano Ouro R$ 99,90 Como você quer pagar? PIX Aprovado na hora Cartão Crédito à vista ' +
        'Gerar código PIX O código é criado na hora e pode ser pago no aplicativo de qualquer banco.',
    );
    expect(page.markup).toContain('<html lang="pt-BR">');
  });

  test('is kept by no cache, told to no other site and framed by none', async () => {
    const { id } = await anInvoice();
    const { headers } = await request(pathOf(id));
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-robots-tag')).toBe('noindex');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; " +
        "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
  });

  test('writes what merchants and products are called as text', async () => {
    const odd = await api.newMerchant();
    const name = `<b>Loja</b> & "filhos"`;
    await odd.fatura.account.update({ name });
    const product = await newProduct(odd, { name: '<script>alert(1)</script>' });
    const price = await newPrice(odd, { product_id: product.id });
    const { id } = await newInvoice(odd, { line_items: [{ price_id: price.id, quantity: 2 }] });
    const { markup } = await request(pathOf(id));
    expect(markup).toMatch(/<h1 [^>]*>&lt;b>Loja&lt;\/b> &amp; &quot;filhos&quot;<\/h1>/);
    expect(markup).toContain('2 × &lt;script>alert(1)&lt;/script>');
    expect(markup).not.toContain('<script>');
    expect(markup).not.toContain('<b>');
  });

  test('makes the QR code at the button and shows it from then on', async () => {
    const { id } = await anInvoice();
    const path = pathOf(id);
    const made = await post(path);
    expect(made.status).toBe(303);
    const target = new URL(made.headers.get('location') ?? '', `${api.baseUrl}${path}`);
    expect(target.pathname).toBe(path);
    const page = await request(path);
    const qr = await qrOf(id);
    expect(page).toMatchObject({ status: 200, hasButton: false, code: qr?.pix_copy_paste });
    expect(page.markup).toMatch(/<svg class="qr" [^>]*role="img" aria-label="QR code PIX de R\$ 99,90"><path d="M/);
    expect(page.text).toContain('Quem recebe Loja do Teste Valor R$ 99,90');
    expect(page.text).toMatch(
      /Este código vale até \d\d\/\d\d\/\d{4} às \d\d:\d\d \. Tempo que resta: (1 dia|23 h 59 min)/,
    );
  });

  test('answers the same QR code however often and at once the button is pressed', async () => {
    const { id } = await anInvoice();
    const path = pathOf(id);
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(path)));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303]);
    const { code } = await request(path);
    expect((await post(path)).status).toBe(303);
    expect((await request(path)).code).toBe(code);
    const intents = await shop.fatura.paymentIntents.list({ invoice_id: id }).all({ max: 10 });
    expect(intents).toHaveLength(1);
  });

  test('offers another QR code when the one that stood has ended', async () => {
    const { id } = await anInvoice();
    const path = pathOf(id);
    await post(path);
    const { code } = await request(path);
    api.clock.advance(DAY);
    expect(await request(path)).toMatchObject({ code: null, hasButton: true });
    await post(path);
    const after = await request(path);
    expect(after.code).not.toBeNull();
    expect(after.code).not.toBe(code);
  });

  test('says that it is paid once it is, and takes nothing more', async () => {
    const { id } = await anInvoice();
    const path = pathOf(id);
    await post(path);
    const { payment_intent: intent } = await shop.fatura.invoices.retrieve(id);
    await shop.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
    const page = await request(path);
    expect(page).toMatchObject({ status: 200, code: null, hasButton: false });
    expect(page.text).toMatch(
      /Paga .* Pagamento recebido O pagamento foi recebido\. Obrigado! Valor pago R\$ 99,90 Paga em \d\d\/\d\d\/\d{4} às \d\d:\d\d Pago com PIX Ver recibo$/,
    );
    const again = await post(path);
    expect(again).toMatchObject({ status: 409, code: null, hasButton: false });
    expect(again.text).toContain('Pagamento recebido');
  });

  test('shows what was returned', async () => {
    const { id } = await anInvoice();
    const { payment_intent: intent } = await payByCard(shop, id);
    await shop.fatura.refunds.create({ payment_intent: intent ?? '', amount: 1000 });
    expect((await request(pathOf(id))).text).toContain('Devolvido R$ 10,00');
  });

  test('says that it was cancelled', async () => {
    const { id } = await anInvoice();
    await shop.fatura.invoices.void(id);
    const page = await request(pathOf(id));
    expect(page).toMatchObject({ status: 200, code: null, hasButton: false });
    expect(page.text).toContain('Fatura cancelada Esta fatura foi cancelada e não precisa ser paga.');
    expect((await post(pathOf(id))).status).toBe(409);
  });

  test('is late from the day after it is due, and can be paid when it was given up', async () => {
    const { id } = await anInvoice({ due_at: api.clock.now() });
    api.clock.advance(2 * DAY);
    expect((await request(pathOf(id))).text).toContain('R$ 99,90 Vencida Vencimento');
    await shop.fatura.invoices.markUncollectible(id);
    expect(await request(pathOf(id))).toMatchObject({ hasButton: true });
    expect((await post(pathOf(id))).status).toBe(303);
    expect((await request(pathOf(id))).code).not.toBeNull();
  });

  test('of a live invoice is no test, and cannot be paid without an acquirer', async () => {
    const { id } = await newInvoice({ ...shop, fatura: shop.live });
    const page = await request(pathOf(id));
    expect(page.text).not.toContain('Ambiente de teste');
    const refused = await post(pathOf(id));
    expect(refused).toMatchObject({ status: 503, hasButton: false });
    for (const { text } of [page, refused]) expect(text).toContain('Ainda não é possível pagar por aqui');
  });

  test('is that of its invoice though its customer was anonymized', async () => {
    const { id, customer } = await anInvoice();
    await shop.fatura.invoices.markUncollectible(id);
    await shop.fatura.customers.anonymize(customer);
    expect((await post(pathOf(id))).status).toBe(303);
    expect((await request(pathOf(id))).code).not.toBeNull();
  });
});

describe('a link that was not made here', () => {
  test.each(['GET', 'POST'] as const)('leads nowhere by %s', async (method) => {
    const { id } = await anInvoice();
    const draft = await newInvoice(shop, { draft: true });
    const other = await anInvoice();
    const [signature = ''] = pathOf(id).split('/').reverse();
    const swapped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
    const wrong = [
      `/pay/${id}/${swapped}`,
      `/pay/${id}/${signature}x`,
      `/pay/${id}/${signature.slice(1)}`,
      `/pay/${id}/${encodeURIComponent('ééé')}`,
      `/pay/${id}/%00`,
      `/pay/${other.id}/${signature}`,
      pathOf('in_01kaj4w2n8e9r7t5v3x1z0q6d4'),
      pathOf(draft.id),
      '/pay/nothing/nothing',
    ];
    for (const path of wrong) {
      const page = await request(path, method);
      expect([path, page.status]).toEqual([path, 404]);
      expect(page.text).toMatch(/^Fatura não encontrada Confira se o endereço está completo/);
      expect(page.headers.get('cache-control')).toBe('no-store');
    }
    expect(await shop.fatura.paymentIntents.list({ invoice_id: id }).all({ max: 10 })).toEqual([]);
  });
});

describe('a checkout that is refused', () => {
  test('because the PIX is confirmed says not to pay again', async () => {
    const { id } = await anInvoice();
    await post(pathOf(id));
    const { payment_intent: intent } = await shop.fatura.invoices.retrieve(id);
    await shop.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'confirmed_not_settled' });
    expect(await request(pathOf(id))).toMatchObject({ status: 200, code: null, hasButton: false });
    const page = await post(pathOf(id));
    expect(page).toMatchObject({ status: 409, code: null, hasButton: false });
    expect(page.text).toContain(
      'Pagamento confirmado O banco confirmou o pagamento e ainda vai liquidá-lo. Não pague de novo.',
    );
    await shop.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
    expect((await request(pathOf(id))).text).toContain('Paga');
  });

  test('because a card is being charged says to wait', async () => {
    const { id } = await anInvoice();
    await payByCard(shop, id, { number: cards.answer_lost }).catch(() => {});
    expect((await request(pathOf(id))).text).toContain('Ainda não sabemos o resultado');
    const page = await post(pathOf(id));
    expect(page).toMatchObject({ status: 409, code: null, hasButton: false });
    expect(page.text).toContain('Não pague de novo: estamos perguntando ao banco, e o resultado aparece aqui.');
    const { payment_intent: intent } = await shop.fatura.invoices.retrieve(id);
    await chargeReconciliationStep(api.composition.deps, intent ?? '');
    expect((await request(pathOf(id))).text).toContain('Paga');
  });

  test.each([
    ['request_lost', 504, 'O banco demorou a responder; nada foi cobrado.'],
    ['unreachable', 503, 'Não foi possível falar com o banco; nada foi cobrado.'],
  ] as const)('because of the bank (%s) may be tried again', async (trouble, status, sentence) => {
    const { id } = await anInvoice();
    bank.meets('createPix', trouble);
    const page = await post(pathOf(id));
    expect(page).toMatchObject({ status, code: null, hasButton: true });
    expect(page.text).toContain(sentence);
    bank.recovers();
    expect((await post(pathOf(id))).status).toBe(303);
    expect((await request(pathOf(id))).code).not.toBeNull();
  });

  test('by a fault of ours says nothing of it', async () => {
    const { id } = await anInvoice();
    failpoints.crashAt('pix.after-intent');
    const page = await post(pathOf(id));
    expect(page).toMatchObject({ status: 500, code: null, hasButton: true });
    expect(page.text).toContain('Algo deu errado do nosso lado; nada foi cobrado. Tente de novo mais tarde.');
    expect(page.markup).not.toContain('crashed');
    expect((await post(pathOf(id))).status).toBe(303);
  });
});
