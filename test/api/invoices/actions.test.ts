import { describe, expect, test } from 'vitest';
import type { InvoiceStatus } from '../../../contract/invoices.ts';
import { cards } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';
import { DECLINED, PAID, PaymentScene, refusal, SENT } from '../payments/payment-scene.ts';

const scene = new PaymentScene();

const invoices = () => scene.merchant.fatura.invoices;

const draft = async (amount = 9990) => (await newInvoice(scene.merchant, { draft: true, amount })).id;
const open = () => scene.newInvoice();

async function withQr(): Promise<string> {
  return (await scene.openPix()).invoice;
}

async function withDeclinedCard(): Promise<string> {
  const invoice = await open();
  await scene.chargeCard(invoice, { number: cards.issuer_declined });
  return invoice;
}

const giveUp = async (invoice: string) => (await invoices().markUncollectible(invoice)).id;
const voided = async (invoice: string) => (await invoices().void(invoice)).id;

/** Every status of an invoice, with and without charges of each kind. */
const makers = {
  'a draft': () => draft(),
  'a draft of nothing': () => draft(0),
  open: () => open(),
  'open with a QR code': withQr,
  'open with a declined card': withDeclinedCard,
  'paid by PIX': async () => {
    const { invoice, intent } = await scene.openPix();
    await scene.payPix(intent);
    return invoice;
  },
  'paid by card': async () => (await scene.payByCard(await open())).id,
  'paid without a charge': () => scene.newInvoice(0),
  uncollectible: async () => giveUp(await open()),
  'uncollectible with a discarded QR code': async () => giveUp(await withQr()),
  'uncollectible with a QR code that stands': async () => {
    const invoice = await giveUp(await open());
    await scene.checkoutByPix(invoice);
    return invoice;
  },
  'uncollectible with a declined card': async () => {
    const invoice = await giveUp(await open());
    await scene.chargeCard(invoice, { number: cards.issuer_declined });
    return invoice;
  },
  void: async () => voided(await open()),
  'void, once a draft': async () => voided(await draft()),
  'void, once uncollectible': async () => voided(await giveUp(await open())),
  'void with a discarded QR code': async () => voided(await withQr()),
} as const satisfies Record<string, () => Promise<string>>;

const NOTHING = `pi_${'0'.repeat(26)}`;

const actions = {
  finalize: (invoice: string) => invoices().finalize(invoice),
  update: (invoice: string) => invoices().update(invoice, { description: 'Pedido 1042' }),
  void: (invoice: string) => invoices().void(invoice),
  mark_uncollectible: (invoice: string) => invoices().markUncollectible(invoice),
  'PIX checkout': (invoice: string) => scene.checkoutByPix(invoice),
  'card checkout': (invoice: string) => scene.payByCard(invoice),
  'card checkout that is declined': (invoice: string) =>
    scene
      .payByCard(invoice, { number: cards.insufficient_funds })
      // A decline is a result that stays in the books, though the caller hears of it as a refusal.
      .catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'CARD_DECLINED')) throw error;
      }),
  refund: async (invoice: string) =>
    scene.merchant.fatura.refunds.create({ payment_intent: (await scene.invoice(invoice)).payment_intent ?? NOTHING }),
} as const satisfies Record<string, (invoice: string) => Promise<unknown>>;

type State = keyof typeof makers;
type Action = keyof typeof actions;
/** The code of a refusal, or the status that the invoice comes to and what is told of it. */
type Outcome = string | readonly [status: InvoiceStatus, ...events: string[]];
type Row = Record<Action, Outcome>;

const INVALID = 'INVALID_STATE';
const NOT_OPEN = 'INVOICE_NOT_OPEN';
const MISSING = 'RESOURCE_MISSING';
const NEW = 'payment_intent.created';
const DISCARDED = 'payment_intent.discarded';
const VOIDED = 'invoice.voided';
const GIVEN_UP = 'invoice.marked_uncollectible';

const FROZEN = { finalize: INVALID, update: INVALID };
/** Takes no payment now. */
const UNPAYABLE = {
  'PIX checkout': NOT_OPEN,
  'card checkout': NOT_OPEN,
  'card checkout that is declined': NOT_OPEN,
};

/** A checkout of an invoice that takes payment: `standing` is what becomes of the charge before it. */
const cardCheckouts = (status: InvoiceStatus, standing: readonly string[]) =>
  ({
    'card checkout': ['paid', ...standing, ...SENT, ...PAID],
    'card checkout that is declined': [status, ...standing, ...SENT, ...DECLINED],
  }) as const;

const openRow = (standing: readonly string[]) =>
  ({
    ...FROZEN,
    void: ['void', ...standing, VOIDED],
    mark_uncollectible: ['uncollectible', ...standing, GIVEN_UP],
    'PIX checkout': ['open', ...standing, NEW],
    ...cardCheckouts('open', standing),
    refund: INVALID,
  }) as const;

const uncollectibleRow = (standing: readonly string[]) =>
  ({
    ...FROZEN,
    void: ['void', ...standing, VOIDED],
    mark_uncollectible: INVALID,
    'PIX checkout': ['uncollectible', ...standing, NEW],
    ...cardCheckouts('uncollectible', standing),
    refund: INVALID,
  }) as const;

const draftRow = {
  finalize: ['open', 'invoice.finalized'],
  update: ['draft'],
  void: ['void', VOIDED],
  mark_uncollectible: INVALID,
  ...UNPAYABLE,
  refund: MISSING,
} as const;

const overRow = { ...FROZEN, void: INVALID, mark_uncollectible: INVALID, ...UNPAYABLE };

/** The table of docs/product/invoices.md#moves, and what a checkout and a refund do in each status. */
const table: Record<State, Row> = {
  'a draft': draftRow,
  'a draft of nothing': { ...draftRow, finalize: ['paid', 'invoice.finalized', 'invoice.paid'] },
  open: { ...openRow([]), refund: MISSING },
  'open with a QR code': { ...openRow([DISCARDED]), 'PIX checkout': ['open'] },
  'open with a declined card': openRow([DISCARDED]),
  'paid by PIX': { ...overRow, refund: ['paid', 'refund.created', 'payment_intent.refunding'] },
  'paid by card': {
    ...overRow,
    refund: ['paid', 'refund.created', 'refund.updated', 'invoice.refunded', 'payment_intent.refunded'],
  },
  'paid without a charge': { ...overRow, refund: MISSING },
  uncollectible: { ...uncollectibleRow([]), refund: MISSING },
  'uncollectible with a discarded QR code': uncollectibleRow([]),
  'uncollectible with a QR code that stands': {
    ...uncollectibleRow([DISCARDED]),
    'PIX checkout': ['uncollectible'],
  },
  'uncollectible with a declined card': uncollectibleRow([DISCARDED]),
  void: { ...overRow, refund: MISSING },
  'void, once a draft': { ...overRow, refund: MISSING },
  'void, once uncollectible': { ...overRow, refund: MISSING },
  'void with a discarded QR code': { ...overRow, refund: INVALID },
};

const statusOf: Readonly<Record<string, number>> = { [INVALID]: 409, [NOT_OPEN]: 409, [MISSING]: 404 };

// The keys of an object literal are exactly its declared keys; Object.keys forgets that.
for (const state of Object.keys(table) as State[]) {
  describe(`an invoice that is ${state}`, () => {
    for (const action of Object.keys(table[state]) as Action[]) {
      const outcome = table[state][action];
      if (typeof outcome === 'string') {
        test(`refuses ${action} with ${outcome} and changes nothing`, async () => {
          const invoice = await makers[state]();
          const before = await scene.books(invoice);
          await expect(actions[action](invoice)).rejects.toEqual(refusal(outcome, { status: statusOf[outcome] }));
          expect(await scene.books(invoice)).toEqual(before);
        });
        continue;
      }
      const [status, ...events] = outcome;
      test(`is ${status} after ${action}`, async () => {
        const invoice = await makers[state]();
        const before = await scene.events(invoice);
        await actions[action](invoice);
        expect(await scene.invoice(invoice)).toMatchObject({ status, paid: status === 'paid' });
        expect(await scene.events(invoice)).toEqual([...before, ...events]);
      });
    }
  });
}
