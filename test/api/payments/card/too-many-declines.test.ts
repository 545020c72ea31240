import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byCard, CVC, cards } from '../../../support/cards.ts';
import { CPF, newInvoice, unique } from '../../../support/factories.ts';
import { passUntil, renew, subscribeByCard, subscribeByPix } from '../../../support/subscriptions.ts';
import { type AnotherProcess, startAnother } from '../../another-process.ts';
import { outcomesOf } from '../../requests.ts';
import { PaymentScene, refusal } from '../payment-scene.ts';
import { openLiveBank } from './live-bank.ts';

const scene = new PaymentScene();
const EXHAUSTED = refusal('CARD_ATTEMPTS_EXHAUSTED', { status: 409, type: 'conflict_error', param: null });
const DECLINED = refusal('CARD_DECLINED');
const DAY = 86_400;

let another: AnotherProcess;
beforeAll(async () => {
  another = await startAnother(scene.api);
});
afterAll(() => another.stop());

const number = cards.issuer_declined;
const card = { number, exp_month: 12, exp_year: 2040, cvc: CVC };
const billing_details = { name: 'MARIA DA SILVA', document: CPF };

/** What the script of a page sends, and the code of what came of it. */
async function payOnPage(link: string, from = scene.api.baseUrl) {
  const response = await fetch(`${from}${new URL(link).pathname}/card`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Sec-Fetch-Site': 'same-origin',
      'Idempotency-Key': `key-${unique()}`,
    },
    body: JSON.stringify({ installments: 1, card, billing_details: { ...billing_details, address: null } }),
  });
  const { problem, purchase } = await response.json();
  return {
    status: response.status,
    code: problem?.code ?? null,
    purchase,
    retryAfter: response.headers.get('Retry-After'),
  };
}

async function decline(invoice: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1)
    await expect(scene.payByCard(invoice, { number })).rejects.toEqual(DECLINED);
}

const countOf = async (invoice: string) => (await scene.attemptsOf(invoice)).length;

describe('an invoice of which ten cards were declined', () => {
  test('takes no more cards, on its page or by the API, and is paid by PIX', async () => {
    const { id, payment_url: link } = await newInvoice(scene.merchant);
    await decline(id, 6);
    for (let time = 0; time < 4; time += 1)
      expect(await payOnPage(link ?? '')).toMatchObject({ code: 'CARD_DECLINED' });
    await expect(scene.payByCard(id)).rejects.toEqual(EXHAUSTED);
    expect(await payOnPage(link ?? '')).toMatchObject({
      status: 409,
      code: 'CARD_ATTEMPTS_EXHAUSTED',
      purchase: { standing: 'payable', methods: ['pix'], cardsExhausted: true },
    });
    expect(await countOf(id)).toBe(10);
    const { intent } = await scene.checkoutByPix(id);
    await scene.payPix(intent);
    expect(await scene.invoice(id)).toMatchObject({ status: 'paid' });
  });

  test('took none beyond them from processes that tried side by side', async () => {
    const invoice = await scene.newInvoice();
    await decline(invoice, 8);
    const ways = Array.from({ length: 12 }, (_, place) => (place % 2 === 0 ? scene.api : another));
    for (let round = 0; round < 3; round += 1) {
      await outcomesOf(ways.map((at) => scene.sendByCard(invoice, { key: `key-${unique()}`, number, at })));
    }
    expect(await countOf(invoice)).toBe(10);
    await expect(scene.payByCard(invoice)).rejects.toEqual(EXHAUSTED);
  });

  test('is refused under its lock, whatever was declined since the invoice was looked at', async () => {
    const invoice = await scene.newInvoice();
    await decline(invoice, 9);
    scene.failpoints.meanwhile('card.after-tokenize', () => decline(invoice, 1));
    await expect(scene.payByCard(invoice)).rejects.toEqual(EXHAUSTED);
    expect(await countOf(invoice)).toBe(10);
  });

  test('answers a repeat of its tenth under the same key as before', async () => {
    const invoice = await scene.newInvoice();
    await decline(invoice, 9);
    const key = `key-${unique()}`;
    expect(await scene.sendByCard(invoice, { key, number })).toMatchObject({
      code: 'CARD_DECLINED',
      isReplayed: false,
    });
    expect(await scene.sendByCard(invoice, { key, number })).toMatchObject({ code: 'CARD_DECLINED', isReplayed: true });
  });

  test('counts the attempts of its buyer alone, and none of its schedule', async () => {
    const { id } = await subscribeByCard(scene.merchant, cards.renewals_declined);
    const collected = { api: scene.api, merchant: scene.merchant, id };
    const renewal = await renew(collected);
    await passUntil(collected, scene.api.clock.now() + 4 * DAY);
    const scheduled = await countOf(renewal.id);
    expect(scheduled).toBe(3);
    await decline(renewal.id, 10);
    await expect(scene.payByCard(renewal.id)).rejects.toEqual(EXHAUSTED);
    expect(await countOf(renewal.id)).toBe(scheduled + 10);
  });

  test('is one of many in a sandbox, whose cards are declined as often as its tests like', async () => {
    for (let count = 0; count < 6; count += 1) await decline(await scene.newInvoice(), 10);
    const { payment_url: link } = await newInvoice(scene.merchant);
    for (let time = 0; time < 4; time += 1)
      expect(await payOnPage(link ?? '')).toMatchObject({ code: 'CARD_DECLINED' });
  });
});

describe('a subscription to which cards are given without a charge', () => {
  test('takes no more of them within the hour in which ten were declined', async () => {
    const { id } = await subscribeByPix(scene.merchant);
    const give = (numbered: string) => scene.merchant.fatura.subscriptions.updatePaymentMethod(id, byCard(numbered));
    for (let time = 0; time < 6; time += 1) await expect(give(number)).rejects.toEqual(DECLINED);
    const link = scene.deps.links.updatePayment({ id, liveMode: false });
    for (let time = 0; time < 4; time += 1) expect(await payOnPage(link)).toMatchObject({ code: 'CARD_DECLINED' });
    await expect(give(cards.approved)).rejects.toEqual(EXHAUSTED);
    expect(await payOnPage(link)).toMatchObject({ status: 409, code: 'CARD_ATTEMPTS_EXHAUSTED' });
    expect(await scene.merchant.fatura.subscriptions.retrieve(id)).toMatchObject({ payment_method_type: 'pix' });
  });
});

describe('a live account', () => {
  const live = openLiveBank(scene);

  test('takes a number no more that was declined ten times within an hour, whichever invoices it was tried for', async () => {
    const merchant = await live.newMerchant();
    for (let time = 0; time < 10; time += 1) await expect(live.pay(merchant, number)).rejects.toEqual(DECLINED);
    const asked = live.asked();
    await expect(live.pay(merchant, number)).rejects.toEqual(EXHAUSTED);
    await expect(live.pay(merchant, '4000-0000-0000-0002')).rejects.toEqual(EXHAUSTED);
    expect(live.asked()).toBe(asked);
    await expect(live.pay(merchant, cards.insufficient_funds)).rejects.toEqual(DECLINED);
    expect(await live.pay(merchant, cards.approved)).toMatchObject({ status: 'paid' });
    await expect(live.pay(await live.newMerchant(), number)).rejects.toEqual(DECLINED);
  });

  test('has a number tried at most ten times by charges side by side', async () => {
    const merchant = await live.newMerchant();
    const { refused } = await outcomesOf(Array.from({ length: 25 }, () => live.pay(merchant, number)));
    expect(refused.filter((one) => DECLINED.asymmetricMatch(one))).toHaveLength(10);
    expect(refused.filter((one) => EXHAUSTED.asymmetricMatch(one))).toHaveLength(15);
  });

  test('whose number is approved however often takes it on', async () => {
    const merchant = await live.newMerchant();
    for (let time = 0; time < 12; time += 1)
      expect(await live.pay(merchant, cards.approved)).toMatchObject({ status: 'paid' });
  });

  test('with more than fifty declines in an hour, half of all, tells an operator, and an address tries three cards more on pages', async () => {
    const merchant = await live.newMerchant();
    const { payment_url: link } = await live.newInvoice(merchant);
    const before = await live.alarms();
    for (let place = 0; place < 6; place += 1) {
      const { id } = await live.newInvoice(merchant);
      for (let time = 0; time < 9; time += 1) {
        await expect(live.payFor(merchant, id, live.declinedNumber(place * 9 + time))).rejects.toEqual(DECLINED);
      }
    }
    await live.lookAnew();
    await expect(live.pay(merchant, live.declinedNumber(60))).rejects.toEqual(DECLINED);
    await expect.poll(live.alarms).toBe(before + 1);
    expect(scene.api.logged()).toContain(`"alarm":"card_testing"`);
    const tried = [await payOnPage(link ?? ''), await payOnPage(link ?? ''), await payOnPage(link ?? '')];
    expect(tried.map(({ code }) => code)).toEqual(['CARD_DECLINED', 'CARD_DECLINED', 'CARD_DECLINED']);
    const refused = await payOnPage(link ?? '');
    expect(refused).toMatchObject({ status: 429, code: 'CARD_ATTEMPTS_EXHAUSTED', purchase: { methods: ['card'] } });
    expect(Number(refused.retryAfter)).toBeGreaterThan(3_500);
    expect(await payOnPage(link ?? '', another.baseUrl)).toMatchObject({ status: 429 });
    expect(await live.alarms()).toBe(before + 1);
  });
});
