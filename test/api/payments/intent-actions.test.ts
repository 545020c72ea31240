import { describe, expect, test } from 'vitest';
import type { InvoiceStatus } from '../../../contract/invoices.ts';
import type { PaymentIntentStatus } from '../../../contract/payments.ts';
import { refundSettlementStep } from '../../../server/payments/refunds/settlement.ts';
import { cards } from '../../support/cards.ts';
import { DECLINED, PAID, PaymentScene, refusal, SENT, SURPLUS } from './payment-scene.ts';

const scene = new PaymentScene();

const PART = 4_000;

interface Subject {
  readonly invoice: string;
  readonly intent: string;
}

const refund = ({ intent }: Subject, amount?: number) =>
  scene.merchant.fatura.refunds.create({
    payment_intent: intent,
    ...(amount === undefined ? {} : { amount }),
  });

async function paidByCard(): Promise<Subject> {
  const invoice = await scene.newInvoice();
  return { invoice, intent: await scene.chargeCard(invoice) };
}

async function paidByPix(): Promise<Subject> {
  const sale = await scene.openPix();
  await scene.payPix(sale.intent);
  return sale;
}

async function failed(): Promise<Subject> {
  const invoice = await scene.newInvoice();
  return { invoice, intent: await scene.chargeCard(invoice, { number: cards.issuer_declined }) };
}

/** Sees what is on its way back through. */
async function settleReturns(intent: string): Promise<void> {
  await refundSettlementStep(scene.deps, intent);
  scene.api.clock.advance(5);
  expect(await refundSettlementStep(scene.deps, intent)).toEqual({ done: true });
}

async function refunding(amount?: number): Promise<Subject> {
  const sale = await paidByPix();
  await refund(sale, amount);
  return sale;
}

async function refunded(amount?: number): Promise<Subject> {
  const sale = await refunding(amount);
  await settleReturns(sale.intent);
  return sale;
}

async function surplus(): Promise<Subject> {
  const { invoice, intent } = await scene.openPix();
  await scene.payPix(intent, 'paid_twice');
  return { invoice, intent: (await scene.intentsOf(invoice)).at(-1)?.id ?? '' };
}

/** Every state of a charge that tells in what may be done with it. */
const makers = {
  'pending, with a QR code': () => scene.openPix(),
  'pending, its PIX confirmed': async () => {
    const sale = await scene.openPix();
    await scene.payPix(sale.intent, 'confirmed_not_settled');
    return sale;
  },
  processing: async () => {
    const invoice = await scene.newInvoice();
    return { invoice, intent: await scene.chargeCard(invoice, { number: cards.answer_lost }) };
  },
  failed,
  'paid by PIX': paidByPix,
  'paid by PIX, refunded in part': () => refunded(PART),
  'paid by card': paidByCard,
  'paid by card, refunded in part': async () => {
    const sale = await paidByCard();
    await refund(sale, PART);
    return sale;
  },
  'refunding in part': () => refunding(PART),
  'refunding whole': () => refunding(),
  'refunded by PIX': () => refunded(),
  'refunded by card': async () => {
    const sale = await paidByCard();
    await refund(sale);
    return sale;
  },
  'discarded with its QR code for a card that was declined': async () => {
    const sale = await scene.openPix();
    await scene.chargeCard(sale.invoice, { number: cards.issuer_declined });
    return sale;
  },
  'discarded after a decline for a QR code': async () => {
    const declined = await failed();
    await scene.checkoutByPix(declined.invoice);
    return declined;
  },
  'discarded with its QR code as the invoice was voided': async () => {
    const sale = await scene.openPix();
    await scene.merchant.fatura.invoices.void(sale.invoice);
    return sale;
  },
  'discarded with its QR code as the invoice was given up': async () => {
    const sale = await scene.openPix();
    await scene.merchant.fatura.invoices.markUncollectible(sale.invoice);
    return sale;
  },
  'surplus, refunding': surplus,
  'surplus, refunded': async () => {
    const sale = await surplus();
    await settleReturns(sale.intent);
    return sale;
  },
} as const satisfies Record<string, () => Promise<Subject>>;

const actions = {
  paid: ({ intent }: Subject) => scene.payPix(intent, 'paid'),
  paid_twice: ({ intent }: Subject) => scene.payPix(intent, 'paid_twice'),
  paid_late: ({ intent }: Subject) => scene.payPix(intent, 'paid_late'),
  confirmed_not_settled: ({ intent }: Subject) => scene.payPix(intent, 'confirmed_not_settled'),
  refund: (subject: Subject) => refund(subject),
  'refund of a part': (subject: Subject) => refund(subject, PART),
  'refund of too much': (subject: Subject) => refund(subject, 9_991),
  'card checkout': ({ invoice }: Subject) => scene.payByCard(invoice),
  'card checkout that is declined': ({ invoice }: Subject) =>
    scene.payByCard(invoice, { number: cards.insufficient_funds }),
  'PIX checkout': ({ invoice }: Subject) => scene.checkoutByPix(invoice),
  void: ({ invoice }: Subject) => scene.merchant.fatura.invoices.void(invoice),
  mark_uncollectible: ({ invoice }: Subject) => scene.merchant.fatura.invoices.markUncollectible(invoice),
} as const satisfies Record<string, (subject: Subject) => Promise<unknown>>;

type State = keyof typeof makers;
type Action = keyof typeof actions;
/** The code of a refusal, or the statuses that the charge and its invoice come to and what is told of it. */
type Outcome = string | readonly [intent: PaymentIntentStatus, invoice: InvoiceStatus, ...events: string[]];
type Row = Record<Action, Outcome>;

const INVALID = 'INVALID_STATE';
const CREATED = 'payment_intent.created';
const DISCARDED = 'payment_intent.discarded';
const VOIDED = 'invoice.voided';
const GIVEN_UP = 'invoice.marked_uncollectible';
const ASKED = 'refund.created';
const RETURNED = ['refund.updated', 'invoice.refunded'];
/** A charge by card that settles the invoice, and one that is declined. */
const CARD = [...SENT, ...PAID];
const DECLINED_CARD = [...SENT, ...DECLINED];

const each = <A extends Action>(names: readonly A[], outcome: Outcome) =>
  // The keys are the names, one for one.
  Object.fromEntries(names.map((name) => [name, outcome])) as Record<A, Outcome>;

const PAYMENTS = ['paid', 'paid_twice', 'paid_late', 'confirmed_not_settled'] as const;
const REFUNDS = ['refund', 'refund of a part', 'refund of too much'] as const;
const CHECKOUTS = ['card checkout', 'card checkout that is declined', 'PIX checkout'] as const;
const CLOSINGS = ['void', 'mark_uncollectible'] as const;

const NO_QR = each(PAYMENTS, INVALID);
const NO_REFUND = each(REFUNDS, INVALID);
/** Of an invoice that is paid or void. */
const OVER = { ...each(CHECKOUTS, 'INVOICE_NOT_OPEN'), ...each(CLOSINGS, INVALID) };
const TOO_MUCH = 'REFUND_EXCEEDS_BALANCE';

/** A QR code that was paid: told again it is the same payment, paid again it is surplus. */
const paidQr = (intent: PaymentIntentStatus) => ({
  ...each(['paid', 'confirmed_not_settled'], [intent, 'paid']),
  ...each(['paid_twice', 'paid_late'], [intent, 'paid', ...SURPLUS]),
});
/** A QR code that was ended can only be paid late. */
const endedQr = (late: Outcome) => ({ ...NO_QR, paid_late: late });

/** An unsettled charge stands, the subject or another: `standing` tells that it is discarded, `intent` what the subject is then. */
const unsettled = (intent: PaymentIntentStatus, standing: readonly string[]) =>
  ({
    'card checkout': [intent, 'paid', ...standing, ...CARD],
    'card checkout that is declined': [intent, 'open', ...standing, ...DECLINED_CARD],
    void: [intent, 'void', ...standing, VOIDED],
    mark_uncollectible: [intent, 'uncollectible', ...standing, GIVEN_UP],
  }) as const;

const refundsByPix = {
  refund: ['refunding', 'paid', ASKED, 'payment_intent.refunding'],
  'refund of a part': ['refunding', 'paid', ASKED, 'payment_intent.refunding'],
  'refund of too much': TOO_MUCH,
} as const;
const refundsByCard = {
  refund: ['refunded', 'paid', ASKED, ...RETURNED, 'payment_intent.refunded'],
  'refund of a part': ['paid', 'paid', ASKED, ...RETURNED],
  'refund of too much': TOO_MUCH,
} as const;

/** The tables of docs/product/payments.md#moves-of-an-intent and docs/product/invoices.md#moves, and what follows from them. */
const table: Record<State, Row> = {
  'pending, with a QR code': {
    ...each(['paid', 'paid_late'], ['paid', 'paid', ...PAID]),
    paid_twice: ['paid', 'paid', ...PAID, ...SURPLUS],
    confirmed_not_settled: ['pending', 'open'],
    ...NO_REFUND,
    ...unsettled('discarded', [DISCARDED]),
    'PIX checkout': ['pending', 'open'],
  },
  'pending, its PIX confirmed': {
    // Paid once more it settles by what the bank has now; what was confirmed first is surplus when it settles.
    ...each(['paid', 'paid_twice', 'paid_late'], ['paid', 'paid', ...PAID]),
    confirmed_not_settled: ['pending', 'open'],
    ...NO_REFUND,
    ...each(CHECKOUTS, 'PIX_PAYMENT_CONFIRMED'),
    ...each(CLOSINGS, 'PAYMENT_IN_PROGRESS'),
  },
  processing: { ...NO_QR, ...NO_REFUND, ...each([...CHECKOUTS, ...CLOSINGS], 'PAYMENT_IN_PROGRESS') },
  failed: {
    ...NO_QR,
    ...NO_REFUND,
    ...unsettled('discarded', [DISCARDED]),
    'PIX checkout': ['discarded', 'open', DISCARDED, CREATED],
  },
  'paid by PIX': { ...paidQr('paid'), ...refundsByPix, ...OVER },
  'paid by PIX, refunded in part': { ...paidQr('paid'), ...refundsByPix, ...OVER },
  'paid by card': { ...NO_QR, ...refundsByCard, ...OVER },
  'paid by card, refunded in part': { ...NO_QR, ...refundsByCard, ...OVER },
  'refunding in part': {
    ...paidQr('refunding'),
    ...each(['refund', 'refund of a part'], ['refunding', 'paid', ASKED]),
    'refund of too much': TOO_MUCH,
    ...OVER,
  },
  'refunding whole': { ...paidQr('refunding'), ...each(REFUNDS, TOO_MUCH), ...OVER },
  'refunded by PIX': { ...paidQr('refunded'), ...NO_REFUND, ...OVER },
  'refunded by card': { ...NO_QR, ...NO_REFUND, ...OVER },
  'discarded with its QR code for a card that was declined': {
    ...endedQr(['discarded', 'paid', DISCARDED, CREATED, ...PAID]),
    ...NO_REFUND,
    ...unsettled('discarded', [DISCARDED]),
    'PIX checkout': ['discarded', 'open', DISCARDED, CREATED],
  },
  'discarded after a decline for a QR code': {
    ...NO_QR,
    ...NO_REFUND,
    ...unsettled('discarded', [DISCARDED]),
    'PIX checkout': ['discarded', 'open'],
  },
  'discarded with its QR code as the invoice was voided': {
    ...endedQr(['discarded', 'void', ...SURPLUS]),
    ...NO_REFUND,
    ...OVER,
  },
  'discarded with its QR code as the invoice was given up': {
    ...endedQr(['discarded', 'paid', CREATED, ...PAID]),
    ...NO_REFUND,
    'card checkout': ['discarded', 'paid', ...CARD],
    'card checkout that is declined': ['discarded', 'uncollectible', ...DECLINED_CARD],
    'PIX checkout': ['discarded', 'uncollectible', CREATED],
    void: ['discarded', 'void', VOIDED],
    mark_uncollectible: INVALID,
  },
  'surplus, refunding': { ...NO_QR, ...NO_REFUND, ...OVER },
  'surplus, refunded': { ...NO_QR, ...NO_REFUND, ...OVER },
};

/** A decline is a result that stays in the books, though the caller hears of it as a refusal. */
const heard = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => {
    expect(error).toEqual(refusal('CARD_DECLINED', { declineReason: 'insufficient_funds' }));
  });

// The keys of an object literal are exactly its declared keys; Object.keys forgets that.
for (const state of Object.keys(table) as State[]) {
  describe(`a charge that is ${state}`, () => {
    for (const action of Object.keys(table[state]) as Action[]) {
      const outcome = table[state][action];
      if (typeof outcome === 'string') {
        test(`refuses ${action} with ${outcome} and changes nothing`, async () => {
          const subject = await makers[state]();
          const before = await scene.books(subject.invoice);
          await expect(actions[action](subject)).rejects.toEqual(refusal(outcome));
          expect(await scene.books(subject.invoice)).toEqual(before);
        });
        continue;
      }
      const [intent, invoice, ...events] = outcome;
      test(`comes to ${intent} by ${action}, its invoice to ${invoice}`, async () => {
        const subject = await makers[state]();
        const before = await scene.events(subject.invoice);
        await heard(actions[action](subject));
        expect(await scene.intent(subject.intent)).toMatchObject({ status: intent });
        expect(await scene.invoice(subject.invoice)).toMatchObject({ status: invoice });
        expect(await scene.events(subject.invoice)).toEqual([...before, ...events]);
      });
    }
  });
}
