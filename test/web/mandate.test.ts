import { type PixDynamicObject, type PixRecurrenceObject, parsePix } from 'pix-utils';
import { describe, expect, test } from 'vitest';
import { MandateScene } from '../api/subscriptions/mandates/mandate-scene.ts';
import { newPrice } from '../support/factories.ts';
import { subscribe, subscribeByMandate, subscribeByPix } from '../support/subscriptions.ts';
import { expectSound, inspect, paymentScene } from './scene.ts';

const scene = paymentScene();
const debited = new MandateScene();

const subscriptionOf = (id: string) => scene.shop().fatura.subscriptions.retrieve(id);

const choose = (page: Awaited<ReturnType<typeof scene.open>>['page']) =>
  page.getByRole('radio', { name: 'Pix Automático' }).check();

/** Opens the first bill of a subscription, on a phone. */
async function firstBill() {
  const { id, latest_invoice: invoice } = await subscribe(scene.shop());
  return { id, invoice: invoice ?? '', visit: await scene.open(invoice ?? '') };
}

describe('the page of the first bill of a subscription', () => {
  test('has one code that pays and authorises, says what is authorised, and tells of it while it is open', async () => {
    const { id, visit } = await firstBill();
    const { page } = visit;
    expect(await page.getByRole('radio').evaluateAll((all) => all.map((one) => one.getAttribute('value')))).toEqual([
      'pix_automatico',
      'pix',
      'card',
    ]);
    // Nobody authorises what they did not choose.
    expect(await page.getByRole('radio', { name: /^PIX/ }).isChecked()).toBe(true);
    await choose(page);
    await page
      .getByText(
        'Com um só código, você paga R$ 99,90 agora e autoriza Loja do Teste a debitar da sua conta as próximas cobranças, a cada mês',
      )
      .waitFor();
    await page.getByRole('button', { name: 'Gerar código do Pix Automático' }).click();
    const code = await page.locator('#copy-paste-mandate').inputValue();
    const parsed = parsePix(code) as PixDynamicObject; // type is asserted on the next line
    expect(parsed).toMatchObject({
      ...{ type: 'DYNAMIC', merchantName: 'Loja do Teste' },
      url: expect.stringMatching(/^[a-z.]+\/\S+$/),
      urlRec: expect.stringMatching(/\/v2\/rec\//),
    });
    await inspect(visit, 'mandate-code');
    const { mandate } = await subscriptionOf(id);
    await scene.shop().fatura.testHelpers.mandates.approve(mandate ?? '');
    await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
    await expectSound(visit);
    expect(await subscriptionOf(id)).toMatchObject({ status: 'active', payment_method_type: 'pix_automatico' });
  });

  test('shows the code again that was made, and pays it by itself in the sandbox', async () => {
    const { id, visit } = await firstBill();
    const { page } = visit;
    await choose(page);
    await page.getByRole('button', { name: 'Gerar código do Pix Automático' }).click();
    const code = await page.locator('#copy-paste-mandate').inputValue();
    await page.reload();
    expect(await page.locator('#copy-paste-mandate').inputValue()).toBe(code);
    await page.getByRole('button', { name: 'Simular autorização' }).click();
    await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
    expect(await subscriptionOf(id)).toMatchObject({ status: 'active', payment_method_type: 'pix_automatico' });
  });

  test('is paid by the plain code as well, which authorises nothing', async () => {
    const { id, visit } = await firstBill();
    const { page } = visit;
    await choose(page);
    await page.getByRole('button', { name: 'Gerar código do Pix Automático' }).click();
    await page.locator('#copy-paste-mandate').waitFor({ state: 'attached' });
    await page.getByRole('radio', { name: /^PIX/ }).check();
    expect((parsePix(await page.locator('#copy-paste-pix').inputValue()) as PixDynamicObject).urlRec).toBeUndefined();
    await page.getByRole('button', { name: 'Simular pagamento' }).click();
    await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
    expect(await subscriptionOf(id)).toMatchObject({ status: 'active', payment_method_type: 'pix' });
  });

  test('falls back to PIX where the mandate is rejected', async () => {
    const { id, visit } = await firstBill();
    const { page } = visit;
    await choose(page);
    await page.getByRole('button', { name: 'Gerar código do Pix Automático' }).click();
    await page.locator('#copy-paste-mandate').waitFor({ state: 'attached' });
    const { mandate } = await subscriptionOf(id);
    await scene.shop().fatura.testHelpers.mandates.reject(mandate ?? '');
    await page.getByRole('button', { name: 'Gerar código do Pix Automático' }).waitFor();
    await expectSound(visit);
  });
});

test('a page that is older than a mandate shows what was asked for meanwhile', async () => {
  const { id } = await subscribeByPix(scene.shop());
  const { page } = await scene.openUrl((await subscriptionOf(id)).update_payment_url ?? '');
  await choose(page);
  await page.route('**/events', (route) => route.abort());
  const button = await page.getByRole('button', { name: 'Gerar código do Pix Automático' }).elementHandle();
  const { id: mandate } = await scene.shop().fatura.mandates.create(id, { journey: 'mandate_only' });
  await button?.evaluate((one: HTMLElement) => one.click());
  await page.locator('#copy-paste-mandate').waitFor({ state: 'attached' });
  await scene.shop().fatura.testHelpers.mandates.approve(mandate);
  await page.getByText('Forma de pagamento atual: Pix Automático.').waitFor();
});

test('a bill of no cycle, and one of a calendar that no bank debits, offer no mandate', async () => {
  const { id } = await scene.anInvoice();
  const { id: price } = await newPrice(scene.shop(), {
    type: 'recurring',
    recurring: { interval: 'month', interval_count: 2 },
  });
  const { latest_invoice: bimonthly } = await subscribe(scene.shop(), { price_id: price });
  for (const invoice of [id, bimonthly ?? '']) {
    const { page } = await scene.open(invoice);
    await page.getByRole('radio', { name: 'PIX' }).waitFor();
    expect(await page.getByRole('radio').count()).toBe(2);
  }
});

describe('the page of a subscription without an open bill', () => {
  const pageOf = async (id: string): Promise<string> => (await subscriptionOf(id)).update_payment_url ?? '';

  test('asks for a mandate alone, which charges nothing, and tells of it', async () => {
    const { id } = await subscribeByPix(scene.shop());
    const visit = await scene.openUrl(await pageOf(id));
    const { page } = visit;
    await choose(page);
    await page.getByText('Hoje nada é cobrado. Com o código, você autoriza Loja do Teste').waitFor();
    await page.getByRole('button', { name: 'Gerar código do Pix Automático' }).click();
    const parsed = parsePix(await page.locator('#copy-paste-mandate').inputValue()) as PixRecurrenceObject; // type is asserted on the next line
    expect(parsed).toMatchObject({ type: 'RECURRENCE', urlRec: expect.stringMatching(/\/v2\/rec\//) });
    await inspect(visit, 'mandate-alone');
    const { mandate } = await subscriptionOf(id);
    await scene.shop().fatura.testHelpers.mandates.approve(mandate ?? '');
    await page.getByText('sua assinatura é paga por Pix Automático').waitFor();
    await expectSound(visit);
    expect(await subscriptionOf(id)).toMatchObject({ payment_method_type: 'pix_automatico', mandate });
  });

  test.each([true, false])('ends a mandate at its bank; with a script: %s', async (javaScriptEnabled) => {
    const { id, mandate } = await subscribeByMandate(scene.shop());
    const visit = await scene.openUrl(await pageOf(id), { javaScriptEnabled });
    const { page } = visit;
    await page.getByText('Forma de pagamento atual: Pix Automático.').waitFor();
    if (javaScriptEnabled) await inspect(visit, 'mandate-active');
    await page.getByRole('button', { name: 'Encerrar a autorização' }).click();
    await page
      .getByText(javaScriptEnabled ? 'sua assinatura é paga por PIX' : 'Forma de pagamento atual: PIX.')
      .waitFor();
    expect(await scene.shop().fatura.mandates.retrieve(mandate ?? '')).toMatchObject({ status: 'ended' });
    expect(await subscriptionOf(id)).toMatchObject({ payment_method_type: 'pix', mandate: null });
  });
});

describe('the page of a bill that is to be debited', () => {
  const openAt = async (invoice: string) => {
    const { api } = debited;
    const { pathname } = new URL(api.composition.deps.links.payment({ id: invoice, liveMode: false }));
    return scene.visit(api.baseUrl + pathname);
  };

  test('can be paid until the evening before, and is then left to the bank', async () => {
    const { id, invoice, day } = await debited.scheduled();
    const told = day.split('-').toReversed().join('/');
    const { page } = await openAt(invoice);
    await page.getByText(`O Pix Automático debita esta cobrança em ${told}.`).waitFor();
    await page.getByRole('button', { name: 'Gerar código PIX' }).waitFor();
    expect(await page.getByRole('radio', { name: 'Pix Automático' }).count()).toBe(0);
    await debited.to(id, day, '22:00', -1);
    const visit = await openAt(invoice);
    await visit.page.getByRole('heading', { name: 'Débito agendado' }).waitFor();
    await visit.page.getByText(`Será debitado em ${told}.`).waitFor();
    await inspect(visit, 'mandate-scheduled');
    await debited.to(id, day, '21:00');
    await visit.page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
    expect(await visit.page.locator('.receipt').textContent()).toContain('Pix Automático');
    await expectSound(visit);
  });
});
