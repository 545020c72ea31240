import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { cards, payByCard } from '../support/cards.ts';
import type { FailpointName } from '../support/failpoints.ts';
import { fillCard, payButton, paymentScene } from './scene.ts';

const scene = paymentScene();

/** Charges by card: the page has had a PIX code since it was opened. */
const intentsOf = async (invoiceId: string) => {
  const intents = await scene.shop().fatura.paymentIntents.list({ invoice_id: invoiceId }).all({ max: 10 });
  return intents.filter(({ payment_method_type: type }) => type === 'card');
};

const paid = (page: Page) => page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();

/** Holds the next charge at a step until it is let go. */
function hold(failpoint: FailpointName): { reached: Promise<void>; letGo: () => void } {
  const { promise: going, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  scene.failpoints.meanwhile(failpoint, () => {
    reach();
    return going;
  });
  return { reached, letGo };
}

test('a double click charges once', async () => {
  const { id } = await scene.anInvoice();
  const { page } = await scene.open(id);
  const sent: string[] = [];
  page.on('request', (request) => void (request.url().endsWith('/card') && sent.push(request.url())));
  await fillCard(page, { number: cards.approved });
  await payButton(page).dblclick();
  await paid(page);
  expect(sent).toHaveLength(1);
  expect(await intentsOf(id)).toMatchObject([{ status: 'paid', attempts: 1 }]);
});

test('a page that is loaded anew while its card is charged shows what becomes of the charge', async () => {
  const { id } = await scene.anInvoice();
  const { page } = await scene.open(id);
  const charge = hold('card.after-attempt');
  await fillCard(page, { number: cards.approved });
  await payButton(page).click();
  await charge.reached;
  await page.reload();
  await page.getByRole('heading', { name: 'Pagamento em processamento' }).waitFor();
  expect(await page.getByRole('button').count()).toBe(0);
  charge.letGo();
  await paid(page);
  expect(await intentsOf(id)).toMatchObject([{ status: 'paid', attempts: 1 }]);
});

test('a page whose network goes while its card is charged learns what came of it', async () => {
  const { id } = await scene.anInvoice();
  const { page, context } = await scene.open(id);
  const charge = hold('card.after-attempt');
  await fillCard(page, { number: cards.approved });
  await payButton(page).click();
  await charge.reached;
  await context.setOffline(true);
  charge.letGo();
  await expect.poll(() => intentsOf(id)).toMatchObject([{ status: 'paid' }]);
  await context.setOffline(false);
  await paid(page);
});

/** The service takes the first charge, and its answer breaks off when it may; answers the keys that come. */
async function loseFirstAnswer(page: Page, mayBreak: () => Promise<void> = async () => {}): Promise<(string | null)[]> {
  const keys: (string | null)[] = [];
  await page.route('**/card', async (route) => {
    keys.push(await route.request().headerValue('idempotency-key'));
    if (keys.length > 1) return route.continue();
    await route.fetch();
    await mayBreak();
    await route.abort('connectionreset');
  });
  return keys;
}

/** A page to which neither a stream nor an answer tells how its purchase stands. */
async function openUntold(invoiceId: string): Promise<Page> {
  const { page } = await scene.open(invoiceId);
  await page.route('**/events', (route) => route.abort());
  await page.route('**/state', (route) => route.abort());
  await page.reload();
  return page;
}

test('the same form that is sent again after its answer was lost charges nothing more', async () => {
  const { id } = await scene.anInvoice();
  const page = await openUntold(id);
  const keys = await loseFirstAnswer(page);
  await fillCard(page, { number: cards.issuer_declined });
  await payButton(page).click();
  await page.getByText('com os mesmos dados o cartão não é cobrado duas vezes').waitFor();
  await payButton(page).click();
  await page.getByText('O banco não autorizou a compra').waitFor();
  expect(keys).toHaveLength(2);
  expect(keys[0]).toBe(keys[1]);
  expect(await intentsOf(id)).toMatchObject([{ status: 'failed', attempts: 1 }]);
  await payButton(page).click();
  await expect.poll(() => keys).toHaveLength(3);
  expect(keys[2]).not.toBe(keys[0]);
});

/** Marks the page once its stream has told it of a decline. */
function markDecline(): void {
  const mark = ({ data }: MessageEvent<string>) => {
    if (data.includes('"declined":"')) document.documentElement.dataset.declined = '';
  };
  window.EventSource = class extends EventSource {
    constructor(...named: ConstructorParameters<typeof EventSource>) {
      super(...named);
      this.addEventListener('purchase', (event) => setTimeout(mark, 0, event));
    }
  };
}

test.each(['before', 'after'])(
  'a form whose decline the stream told %s its answer was lost is another try',
  async (when) => {
    const { id } = await scene.anInvoice();
    const { page } = await scene.open(id);
    await page.addInitScript(markDecline);
    await page.reload();
    const isTold = () => page.locator('html[data-declined]').waitFor({ state: 'attached' });
    const keys = await loseFirstAnswer(page, when === 'before' ? isTold : undefined);
    await fillCard(page, { number: cards.issuer_declined });
    await payButton(page).click();
    await page.getByText('O banco não autorizou a compra').waitFor();
    // The stream may have told that the charge was under way: the form comes back as it was typed.
    expect(await page.getByLabel('Número do cartão').inputValue()).not.toBe('');
    await payButton(page).click();
    await expect.poll(() => keys).toHaveLength(2);
    expect(keys[0]).not.toBe(keys[1]);
    await expect.poll(() => intentsOf(id)).toMatchObject([{ status: 'failed' }, { status: 'discarded' }]);
  },
);

test('the form of a card stays as it was typed while its own charge runs, and after a decline', async () => {
  const { id } = await scene.anInvoice();
  const { page } = await scene.open(id);
  const charge = hold('card.after-attempt');
  await fillCard(page, { number: cards.issuer_declined });
  const told = page.waitForEvent('console', { predicate: (message) => message.text() === 'processing' });
  await page.evaluate(`new EventSource(location.pathname + '/events').addEventListener('purchase', ({ data }) => {
    if (data.includes('"standing":"processing"')) console.log('processing');
  })`);
  await payButton(page).click();
  await charge.reached;
  await told;
  await page.getByRole('button', { name: 'Processando o pagamento …' }).waitFor();
  expect(await page.getByLabel('Validade').inputValue()).toBe('12/40');
  charge.letGo();
  await page.getByText('O banco não autorizou a compra').waitFor();
  expect(await page.getByLabel('Validade').inputValue()).toBe('12/40');
  expect(await page.getByLabel('CVV').inputValue()).not.toBe('');
});

test('from a decline one tap leads to the code of the same purchase', async () => {
  const { id } = await scene.anInvoice();
  const { page } = await scene.open(id);
  await fillCard(page, { number: cards.insufficient_funds });
  await payButton(page).click();
  await page.getByText('Seu cartão não tem limite para esta compra').waitFor();
  await page.getByRole('button', { name: 'Pagar com PIX' }).click();
  await page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
  await page.getByRole('button', { name: 'Simular pagamento' }).click();
  await paid(page);
});

test('a purchase that is paid in another tab is shown as paid in this one', async () => {
  const { id } = await scene.anInvoice();
  const { page, context } = await scene.open(id);
  const other = await context.newPage();
  await other.goto(scene.addressOf(id));
  await fillCard(other, { number: cards.approved });
  await payButton(other).click();
  await paid(other);
  await paid(page);
  expect(await page.getByRole('button').count()).toBe(0);
});

test('a form that comes after the payment elsewhere is refused and shows the payment', async () => {
  const { id } = await scene.anInvoice();
  const page = await openUntold(id);
  await fillCard(page, { number: cards.approved });
  await payByCard(scene.shop(), id);
  await payButton(page).click();
  await paid(page);
  expect(await intentsOf(id)).toHaveLength(1);
});

test('a page without a stream asks how its purchase stands', async () => {
  const { id } = await scene.anInvoice();
  const { page } = await scene.open(id);
  await page.route('**/events', (route) => route.abort());
  await page.reload();
  await payByCard(scene.shop(), id);
  await paid(page);
});
