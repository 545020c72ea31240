import { describe, expect, test } from 'vitest';
import type { Merchant } from '../../../support/api.ts';
import { cards, payByCard } from '../../../support/cards.ts';
import { newInvoice, newPrice } from '../../../support/factories.ts';
import { CREATED, PaymentScene, refusal, SENT } from '../payment-scene.ts';

const scene = new PaymentScene();

const TIME_ZONE = 'America/Sao_Paulo';

/** Of a brand that is not charged, with a right check digit. */
const DISCOVER = '6011 1111 1111 1117';

type Terms = { amount: number; most?: number; quantity?: number };

/** An invoice of these lines; a line without `most` is of a price that allows no installments. */
async function invoiceOf(lines: Terms[]): Promise<string> {
  const items = [];
  for (const { amount, most, quantity = 1 } of lines) {
    const terms = most === undefined ? {} : { card_installments_enabled: true, max_card_installments: most };
    const { id } = await newPrice(scene.merchant, { unit_amount: amount, ...terms });
    items.push({ price_id: id, quantity });
  }
  return (await newInvoice(scene.merchant, { line_items: items })).id;
}

/** The attempt is refused and leaves the books as they were. */
async function refuses(invoice: string, attempt: () => Promise<unknown>, expected: unknown): Promise<void> {
  const before = await scene.books(invoice);
  await expect(attempt()).rejects.toEqual(expected);
  expect(await scene.books(invoice)).toEqual(before);
}

describe('a card checkout of an invoice that', () => {
  const makers = {
    draft: async () => (await newInvoice(scene.merchant, { draft: true })).id,
    paid: async () => (await scene.payByCard(await scene.newInvoice())).id,
    void: async () => (await scene.merchant.fatura.invoices.void(await scene.newInvoice())).id,
  };
  for (const [status, make] of Object.entries(makers)) {
    test(`is ${status} is refused before the acquirer sees the card`, async () => {
      const invoice = await make();
      scene.bank.recovers();
      const expected = refusal('INVOICE_NOT_OPEN', { status: 409, message: expect.stringContaining(`is ${status}`) });
      await refuses(invoice, () => scene.payByCard(invoice), expected);
      expect(scene.bank.calls).toEqual([]);
    });
  }

  test('is voided while the card is taken in is not charged', async () => {
    const invoice = await scene.newInvoice();
    scene.failpoints.meanwhile('card.after-tokenize', () => scene.merchant.fatura.invoices.void(invoice));
    await expect(scene.payByCard(invoice)).rejects.toEqual(refusal('INVOICE_NOT_OPEN'));
    expect(await scene.events(invoice)).toEqual([CREATED, 'invoice.voided']);
    expect(scene.bank.calls).toEqual(['tokenizeCard']);
  });

  test('is another account’s is not found', async () => {
    const { id } = await newInvoice(await scene.api.newMerchant());
    await expect(scene.payByCard(id)).rejects.toEqual(refusal('RESOURCE_MISSING', { status: 404 }));
  });
});

describe('a card', () => {
  test('is good to the last second of its month in São Paulo, on the clock of the account', async () => {
    const { clock } = scene.api;
    const today = Temporal.Instant.fromEpochMilliseconds(clock.now() * 1_000).toZonedDateTimeISO(TIME_ZONE);
    const nextMonth = today.with({ day: 1 }).startOfDay().add({ months: 1 });
    const card = { exp_month: today.month, exp_year: today.year };
    const [good, late] = [await scene.newInvoice(), await scene.newInvoice()];
    clock.advance(nextMonth.epochMilliseconds / 1_000 - 1 - clock.now());
    expect(await payByCard(scene.merchant, good, { card })).toMatchObject({ status: 'paid' });
    clock.advance(1);
    await refuses(
      late,
      () => payByCard(scene.merchant, late, { card }),
      refusal('CARD_EXPIRED', { status: 422, type: 'invalid_request_error', param: 'card.exp_year' }),
    );
  });

  test('of a brand that is not charged is refused', async () => {
    const invoice = await scene.newInvoice();
    await refuses(
      invoice,
      () => scene.payByCard(invoice, { number: DISCOVER }),
      refusal('CARD_BRAND_NOT_SUPPORTED', { status: 422, param: 'card.number' }),
    );
  });

  test('that the acquirer cannot take in now leaves nothing behind, and the QR code as it was', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    for (const trouble of ['unreachable', 'answer_lost', 'request_lost', 'fault'] as const) {
      scene.bank.meets('tokenizeCard', trouble);
      await refuses(
        invoice,
        () => scene.payByCard(invoice),
        refusal('ACQUIRER_UNAVAILABLE', { status: 503, message: expect.stringContaining('nothing happened') }),
      );
    }
    expect(await scene.checkoutByPix(invoice)).toEqual({ invoice, intent, txid });
    expect(scene.bank.calls).not.toContain('chargeCard');
  });
});

describe('installments', () => {
  const allowed: [string, Terms[], number][] = [
    ['as many as the price of the first item allows', [{ amount: 9990, most: 6 }], 6],
    ['at least R$ 5,00 each', [{ amount: 2500, most: 12 }], 5],
    ['R$ 5,00 each of the total, not of the price', [{ amount: 1000, most: 12, quantity: 3 }], 6],
    ['of the first item, though the second allows none', [{ amount: 9990, most: 3 }, { amount: 9990 }], 3],
    ['one of any price', [{ amount: 100 }], 1],
  ];
  for (const [rule, lines, installments] of allowed) {
    test(`may be ${rule}`, async () => {
      const invoice = await invoiceOf(lines);
      expect(await scene.payByCard(invoice, { installments })).toMatchObject({ status: 'paid' });
    });
  }

  const NOT_ALLOWED = 'INSTALLMENTS_NOT_ALLOWED';
  const BELOW_MINIMUM = 'INSTALLMENT_BELOW_MINIMUM';
  const refused: [string, Terms[], number, string][] = [
    ['more than the price of the first item allows', [{ amount: 9990, most: 6 }], 7, NOT_ALLOWED],
    ['of a price that allows none', [{ amount: 9990 }], 2, NOT_ALLOWED],
    ['allowed by the second item alone', [{ amount: 9990 }, { amount: 9990, most: 12 }], 2, NOT_ALLOWED],
    ['less than R$ 5,00 each', [{ amount: 2500, most: 12 }], 6, BELOW_MINIMUM],
    ['less than R$ 5,00 each by a cent', [{ amount: 999, most: 12 }], 2, BELOW_MINIMUM],
    ['of neither the price nor the total', [{ amount: 999 }], 2, NOT_ALLOWED],
  ];
  for (const [rule, lines, installments, code] of refused) {
    test(`may not be ${rule}`, async () => {
      const invoice = await invoiceOf(lines);
      await refuses(
        invoice,
        () => scene.payByCard(invoice, { installments }),
        refusal(code, { status: 422, param: 'installments' }),
      );
    });
  }

  test('are told by the price as it is now', async () => {
    const price = await newPrice(scene.merchant, { unit_amount: 9990 });
    const { id } = await newInvoice(scene.merchant, { line_items: [{ price_id: price.id, quantity: 1 }] });
    await expect(scene.payByCard(id, { installments: 2 })).rejects.toEqual(refusal(NOT_ALLOWED));
    await scene.merchant.fatura.prices.update(price.id, { card_installments_enabled: true });
    expect(await scene.payByCard(id, { installments: 2 })).toMatchObject({ status: 'paid' });
  });
});

describe('of several refusals', () => {
  const wrong = { number: DISCOVER, installments: 12, card: { exp_month: 1, exp_year: 2024 } };

  test('the form comes first, then what does not exist, then the state, then the rules', async () => {
    const { id: paid } = await scene.payByCard(await scene.newInvoice());
    const open = await scene.newInvoice();
    const nothing = `in_${'0'.repeat(26)}`;
    const malformed = { ...wrong, number: '4242 4242 4242 4241' };
    await expect(scene.payByCard(nothing, malformed)).rejects.toEqual(refusal('PARAMETER_INVALID', { status: 400 }));
    await expect(scene.payByCard(nothing, wrong)).rejects.toEqual(refusal('RESOURCE_MISSING', { status: 404 }));
    await expect(scene.payByCard(paid, wrong)).rejects.toEqual(refusal('INVOICE_NOT_OPEN', { status: 409 }));
    await expect(scene.payByCard(open, wrong)).rejects.toEqual(refusal('CARD_BRAND_NOT_SUPPORTED', { status: 422 }));
  });

  test('a charge at the acquirer comes before the rules of the card', async () => {
    const invoice = await scene.newInvoice();
    const intent = await scene.chargeCard(invoice, { number: cards.answer_lost });
    await refuses(invoice, () => scene.payByCard(invoice, wrong), refusal('PAYMENT_IN_PROGRESS', { status: 409 }));
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT]);
    expect(await scene.reconcile(intent)).toEqual({ done: true });
  });
});

describe('live mode without an acquirer', () => {
  test('regression-65-takes no card, writes nothing, and does not ask for a repeat', async () => {
    const live: Merchant = { ...scene.merchant, fatura: scene.merchant.live };
    const { id } = await newInvoice(live);
    await refuses(
      id,
      () => payByCard(live, id, { key: 'live' }),
      refusal('ACQUIRER_UNAVAILABLE', {
        status: 503,
        message:
          'No acquirer for cards is configured for live mode: nothing happened, and a repeat is refused until one is',
      }),
    );
    expect(scene.bank.calls).toEqual([]);
    expect(await live.fatura.invoices.void(id)).toMatchObject({ status: 'void' });
  });
});
