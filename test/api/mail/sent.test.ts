import type { FaturaError } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { sendMails } from '../../../server/mail/sending.ts';
import { cards } from '../../support/cards.ts';
import { newCustomer, newInvoice } from '../../support/factories.ts';
import { mailsOf } from '../../support/mails.ts';
import { passUntil, payByPix, subscribe, subscribeByCard, subscribeUnfunded } from '../../support/subscriptions.ts';
import { PaymentScene, refusal } from '../payments/payment-scene.ts';

const scene = new PaymentScene();
const DAY = 86_400;

const fatura = () => scene.merchant.fatura;
const lettersOf = (invoice: string) => mailsOf(scene.api, invoice);

describe('an invoice that its merchant sends', () => {
  test('is mailed to its buyer, with its link and the code that stands', async () => {
    const customer = await newCustomer(scene.merchant, { email: 'maria@example.com' });
    const { id, payment_url: link } = await newInvoice(scene.merchant, { customer_id: customer.id });
    const before = await fatura().invoices.retrieve(id);
    expect(await fatura().invoices.send(id)).toEqual(before);
    const { payment_method: method } = await fatura().invoices.checkout(id, { payment_method_type: 'pix' });
    await fatura().invoices.send(id);
    const [first, second, ...more] = await lettersOf(id);
    expect(more).toEqual([]);
    expect(first).toMatchObject({ occasion: 'sent', step: null, status: 'queued', recipient: 'maria@example.com' });
    expect(first?.subject).toBe('[Teste] Sua fatura – Loja do Teste');
    expect(first?.body_text).toContain(`Para pagar, acesse:\n${link}`);
    expect(first?.body_text).not.toContain('copia e cola');
    expect(second?.body_text).toContain(`PIX copia e cola (de teste):\n${method.pix.pix_copy_paste}\n`);
    expect(second?.body_html).toContain(method.pix.pix_copy_paste);
  });

  test('is sent three times within a day, and again after it', async () => {
    const { id } = await newInvoice(scene.merchant);
    for (const _ of [1, 2, 3]) await fatura().invoices.send(id);
    scene.api.clock.advance(DAY - 60);
    const refused: FaturaError = await fatura()
      .invoices.send(id)
      .catch((error) => error);
    expect(refused).toMatchObject({ code: 'RATE_LIMITED', status: 429, retryAfterSeconds: 60 });
    expect(await lettersOf(id)).toHaveLength(3);
    scene.api.clock.advance(60);
    await fatura().invoices.send(id);
    expect(await lettersOf(id)).toHaveLength(4);
  });

  test('is sent three times, however many ask for it at once', async () => {
    const { id } = await newInvoice(scene.merchant);
    const asked = await Promise.allSettled(Array.from({ length: 8 }, () => fatura().invoices.send(id, { retries: 0 })));
    // Of those that wait for one another some may be told to come again.
    const sent = asked.filter(({ status }) => status === 'fulfilled').length;
    expect(sent).toBeLessThanOrEqual(3);
    expect(await lettersOf(id)).toHaveLength(sent);
    for (let more = sent; more < 3; more += 1) await fatura().invoices.send(id);
    await expect(fatura().invoices.send(id, { retries: 0 })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(await lettersOf(id)).toHaveLength(3);
  });

  test('is sent once under one Idempotency-Key', async () => {
    const { id } = await newInvoice(scene.merchant);
    const sent = await fatura().invoices.send(id, { idempotencyKey: id });
    expect(await fatura().invoices.send(id, { idempotencyKey: id })).toEqual(sent);
    expect(await lettersOf(id)).toHaveLength(1);
  });

  test.for(['draft', 'paid', 'void', 'uncollectible'] as const)(
    'is open: one that is %s is refused',
    async (status) => {
      const { id } = await newInvoice(scene.merchant, { draft: status === 'draft' });
      if (status === 'paid') await payByPix(scene.merchant, id);
      if (status === 'void') await fatura().invoices.void(id);
      if (status === 'uncollectible') await fatura().invoices.markUncollectible(id);
      await expect(fatura().invoices.send(id)).rejects.toThrow(refusal('INVOICE_NOT_OPEN'));
      expect(await lettersOf(id)).toEqual([]);
    },
  );

  test('is of the account and mode that ask', async () => {
    const { id } = await newInvoice(scene.merchant);
    await expect(scene.merchant.live.invoices.send(id)).rejects.toThrow(refusal('RESOURCE_MISSING'));
    const other = await scene.api.newMerchant();
    await expect(other.fatura.invoices.send(id)).rejects.toThrow(refusal('RESOURCE_MISSING'));
  });

  test('is not written about any more once it is paid', async () => {
    const { id } = await newInvoice(scene.merchant);
    await fatura().invoices.send(id);
    await payByPix(scene.merchant, id);
    const { deps } = scene.api.composition;
    const mailer = {
      send: () => Promise.reject(new Error('nothing may be sent')),
      verify: async () => {},
      close: () => {},
    };
    await sendMails({ ...deps, mailer }, { mode: 'sandbox', told: () => {} });
    expect(await lettersOf(id)).toMatchObject([{ status: 'dropped' }]);
  });
});

describe('a card that is declined for a renewal', () => {
  const renewed = async (id: string, until: (start: number) => number): Promise<string> => {
    const { current_period_end: end } = await fatura().subscriptions.retrieve(id);
    await passUntil({ api: scene.api, merchant: scene.merchant, id }, until(end ?? 0));
    return (await fatura().subscriptions.retrieve(id)).latest_invoice ?? '';
  };

  test('is told to its buyer at each try, with the page that takes another', async () => {
    const { id, update_payment_url: link } = await subscribeUnfunded(scene.merchant);
    const invoice = await renewed(id, (end) => end + DAY);
    const letters = (await lettersOf(invoice)).filter(({ occasion }) => occasion === 'declined');
    expect(letters).toHaveLength(2);
    expect(letters[0]?.subject).toBe('[Teste] Não conseguimos cobrar o seu cartão – Loja do Teste');
    expect(letters[0]?.body_text).toContain('no cartão final 0341 foi recusada por falta de saldo ou limite.');
    expect(letters[0]?.body_text).toMatch(/Vamos tentar de novo em \d\d\/\d\d\/\d{4}\./);
    expect(letters[0]?.body_text).toContain(`Para atualizar o pagamento, acesse:\n${link}\n`);
  });

  test('for good is not announced to be charged again', async () => {
    const { id } = await subscribeByCard(scene.merchant, cards.renewals_refused);
    const invoice = await renewed(id, (end) => end);
    const [letter] = (await lettersOf(invoice)).filter(({ occasion }) => occasion === 'declined');
    expect(letter?.body_text).toContain('Para manter sua assinatura, informe outro cartão ou pague com PIX.');
    expect(letter?.body_text).not.toContain('Vamos tentar de novo');
  });

  test('by its buyer, who reads it on the page, is no letter', async () => {
    const { latest_invoice: invoice } = await subscribe(scene.merchant);
    await scene.payByCard(invoice ?? '', { number: cards.issuer_declined }).catch(() => {});
    expect(await lettersOf(invoice ?? '')).toEqual([]);
  });
});
