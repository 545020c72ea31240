import { expect, onTestFinished, test } from 'vitest';
import { chargeReconciliationStep } from '../../server/payments/card/reconciliation.ts';
import { cards, payByCard } from '../support/cards.ts';
import { expectSound, fillCard, inspect, payButton, paymentScene, type Visit } from './scene.ts';

const scene = paymentScene();

/** Each screen by the way that leads to it; answers what the page then says. */
const screens: Readonly<Record<string, (look: Look) => Promise<Visit>>> = {
  open: async ({ visit }) => visit(await anOrder()),
  late: async ({ visit }) => {
    const { id } = await scene.anInvoice({ due_at: scene.api().clock.now() });
    scene.api().clock.advance(2 * 86_400);
    return visit({ id });
  },
  code: async ({ visit }) => {
    const shown = await visit(await anOrder());
    await shown.page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
    await shown.page.getByLabel('PIX copia e cola').waitFor({ state: 'attached' });
    return shown;
  },
  'code-ended': async ({ visit }) => {
    const invoice = await anOrder();
    await scene.shop().fatura.invoices.checkout(invoice.id, { payment_method_type: 'pix' });
    scene.api().clock.advance(86_400);
    return visit(invoice);
  },
  card: async ({ visit }) => {
    const shown = await visit(await anOrder());
    await fillCard(shown.page, { number: cards.approved });
    return shown;
  },
  'card-errors': async ({ visit }) => {
    const shown = await visit(await anOrder());
    await shown.page.getByRole('radio', { name: 'Cartão' }).check();
    await payButton(shown.page).click();
    await shown.page.getByText('Informe o número do cartão.').waitFor();
    return shown;
  },
  'card-declined': async ({ visit }) => {
    const shown = await visit(await anOrder());
    await fillCard(shown.page, { number: cards.insufficient_funds });
    await payButton(shown.page).click();
    await shown.page.getByText('Seu cartão não tem limite para esta compra').waitFor();
    return shown;
  },
  'test-cards': async ({ visit }) => {
    const shown = await visit(await anOrder());
    await shown.page.getByRole('radio', { name: 'Cartão' }).check();
    await shown.page.getByText('Cartões de teste').click();
    return shown;
  },
  address: async ({ visit }) => {
    const shown = await visit(await anOrder());
    await shown.page.getByRole('radio', { name: 'Cartão' }).check();
    await shown.page.getByText('Endereço de cobrança (opcional)').click();
    return shown;
  },
  processing: async ({ visit }) => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const invoice = await anOrder();
    const charged = new Promise<void>((reached) => {
      scene.failpoints.meanwhile('card.after-attempt', () => {
        reached();
        return answered;
      });
    });
    const paying = payByCard(scene.shop(), invoice.id);
    await charged;
    onTestFinished(async () => {
      answer();
      await paying;
    });
    return visit(invoice);
  },
  unknown: async ({ visit }) => {
    const invoice = await anOrder();
    await payByCard(scene.shop(), invoice.id, { number: cards.answer_lost }).catch(() => {});
    const { payment_intent: intent } = await scene.shop().fatura.invoices.retrieve(invoice.id);
    onTestFinished(async () => void (await chargeReconciliationStep(scene.api().composition.deps, intent ?? '')));
    return visit(invoice);
  },
  confirmed: async ({ visit }) => {
    const invoice = await anOrder();
    const { payment_intent: intent } = await scene
      .shop()
      .fatura.invoices.checkout(invoice.id, { payment_method_type: 'pix' });
    await scene.shop().fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'confirmed_not_settled' });
    const settle = () => scene.shop().fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
    onTestFinished(async () => void (await settle()));
    return visit(invoice);
  },
  paid: async ({ visit }) => {
    const invoice = await anOrder();
    const { payment_intent: intent } = await payByCard(scene.shop(), invoice.id, { installments: 3 });
    await scene.shop().fatura.refunds.create({ payment_intent: intent ?? '', amount: 1_000 });
    return visit(invoice);
  },
  void: async ({ visit }) => {
    const invoice = await anOrder();
    await scene.shop().fatura.invoices.void(invoice.id);
    return visit(invoice);
  },
  'not-found': ({ visit }) => visit({ id: 'in_01kaj4w2n8e9r7t5v3x1z0q6d4' }),
};

interface Look {
  readonly visit: (invoice: { id: string }) => Promise<Visit>;
}

const anOrder = () =>
  scene.anInvoice({
    price: { unit_amount: 19_990, card_installments_enabled: true },
    description: 'Assinatura de novembro, com a aula de apresentação.',
    discounts: [
      { type: 'percentage', percentage: 12.5, description: 'Boas-vindas' },
      { type: 'fixed', amount_cents: 990 },
    ],
  });

test.each(Object.entries(screens))(
  'the screen "%s" hinders nobody and breaks no rule of its policy',
  async (name, way) => {
    const visit = await way({ visit: ({ id }) => scene.open(id) });
    await inspect(visit, name);
    await expectSound({ ...visit, complaints: visit.complaints.filter(isOwn) });
  },
);

/** The browser itself tells of answers that are no 2xx; the page means them. */
const isOwn = (complaint: string): boolean => !complaint.startsWith('Failed to load resource');

test('nothing moves while the page comes and is taken over by its script', async () => {
  const { id } = await anOrder();
  await scene.shop().fatura.invoices.checkout(id, { payment_method_type: 'pix' });
  const { page } = await scene.open(id);
  await page.addInitScript(`window.shifts = 0;
    new PerformanceObserver((list) => { for (const { value } of list.getEntries()) window.shifts += value; })
      .observe({ type: 'layout-shift', buffered: true });`);
  // The stream is asked for by the script, after its first rendering.
  await Promise.all([page.waitForResponse('**/events'), page.reload()]);
  await page.getByRole('timer').waitFor();
  expect(await page.evaluate('window.shifts')).toBe(0);
});

test('on the narrowest phone nothing is wider than its window', async () => {
  const { id } = await scene.anInvoice({ price: { unit_amount: 999_999 } });
  const visit = await scene.open(id, { viewport: { width: 320, height: 640 } });
  await visit.page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
  await visit.page.getByLabel('PIX copia e cola').waitFor({ state: 'attached' });
  await expectSound(visit);
  await visit.page.getByRole('radio', { name: 'Cartão' }).check();
  await expectSound(visit);
  expect(await payButton(visit.page).boundingBox()).toMatchObject({ height: expect.toSatisfy((px) => px >= 48) });
});
