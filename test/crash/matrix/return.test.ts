import { type Books, paidBooks, told } from '../books.ts';
import { answerOf, type Cell, type Death, keysOf, type Prepared, type Scene } from '../cell.ts';
import { type OpenQr, openQr, pay } from '../pix.ts';
import { letTimePass } from '../rest.ts';
import type { Variation } from '../seeds.ts';
import type { BankMode } from '../stage.ts';
import { testCells } from './matrix.ts';

/** What the bank does with a return. */
const returnings = {
  ok: {},
  refuse: { refundPix: { refuse: 1 } },
  request_lost: { refundPix: { request_lost: 1 } },
  answer_lost: { refundPix: { answer_lost: 1 } },
} as const satisfies Record<string, BankMode>;
type Returning = keyof typeof returnings;

const findings = {
  told: {},
  silent: { findRefund: { fault: 1 } },
  'not found at first': { findRefund: { not_found_seconds: 3_600 } },
} as const satisfies Record<string, BankMode>;
type Finding = keyof typeof findings;

/** What goes back: what a merchant asked for, in part or whole, or money that no charge asked for. */
const kinds = ['a part', 'the whole', 'a surplus'] as const;

/** How far the return had come when the process that dies took it up. */
const begun = ['never asked for', 'at the bank', 'completed at the bank'] as const;

const places = {
  'refund.after-asking': { at: 'refund.after-asking' },
  'return.after-asking': { at: 'return.after-asking' },
  'return.after-booking': { at: 'return.after-booking' },
} as const satisfies Record<string, Death>;
type Place = keyof typeof places;

interface Case {
  readonly place: Place;
  readonly returning: Returning;
  readonly finding: Finding;
  readonly kind: (typeof kinds)[number];
  readonly from: (typeof begun)[number];
}

function differs({ place, returning, finding, kind, from }: Case): boolean {
  const isCalm = returning === 'ok' && finding === 'told';
  // The request only writes that money is to go back; the case, which asks for it, begins afterwards.
  if (place === 'refund.after-asking') return isCalm && kind !== 'a surplus' && from === 'never asked for';
  // Whole or surplus, it is the same way back; both take it once from each beginning, and a surplus when it is refused.
  if (kind !== 'a part' && !isCalm)
    return (
      kind === 'a surplus' &&
      returning === 'refuse' &&
      finding === 'told' &&
      from === 'never asked for' &&
      place === 'return.after-asking'
    );
  // What the bank has been asked for before is only asked for again when it hides it.
  if (from !== 'never asked for' && returning !== 'ok') return false;
  // What the bank does not have it cannot hide, and what it hides does not end.
  if (finding === 'not found at first') return from === 'at the bank' && place === 'return.after-asking';
  // A silent bank is asked for nothing, and tells of no end.
  if (finding === 'silent')
    return returning === 'ok' && from !== 'completed at the bank' && place === 'return.after-asking';
  // Only an end is booked: a return takes its time, a refusal none.
  if (place === 'return.after-booking') return returning === 'refuse' || from === 'completed at the bank';
  return true;
}

const isRefused = ({ returning }: Case): boolean => returning === 'refuse';

const partOf = ({ kind }: Case, amount: number): number => (kind === 'a part' ? 700 : amount);

function booksOf(one: Case, amount: number): Books {
  const { kind } = one;
  const paid = [...told.created, ...told.qrMade, ...told.paid];
  if (kind === 'a surplus')
    return paidBooks(amount, {
      intents: ['pix paid', 'pix refunded surplus'],
      receipts: [amount, amount],
      returns: [...(isRefused(one) ? [`${amount} refused`] : []), String(amount)],
      events: [...paid, ...told.surplus, ...told.returned],
    });
  const asked = [...paid, 'refund.created', 'payment_intent.refunding'];
  if (isRefused(one))
    return paidBooks(amount, {
      intents: ['pix paid'],
      receipts: [amount],
      returns: [`${partOf(one, amount)} refused`],
      events: [...asked, 'payment_intent.refund_failed'],
    });
  const isWhole = kind === 'the whole';
  return paidBooks(amount, {
    refunded: partOf(one, amount),
    intents: [isWhole ? 'pix refunded' : 'pix paid'],
    receipts: [amount],
    returns: [String(partOf(one, amount))],
    events: [...asked, 'refund.updated', 'invoice.refunded', ...(isWhole ? told.returned : [])],
  });
}

/** The intent whose money is to go back, and what asks for that. */
async function askBack(scene: Scene, qr: OpenQr, one: Case, amount: number): Promise<Prepared> {
  const { merchant, key } = scene;
  const { intentId, invoiceId } = qr;
  await pay(merchant, intentId, one.kind === 'a surplus' ? 'paid_twice' : 'paid');
  const [newest] = (await merchant.fatura.paymentIntents.list().page()).data;
  if (one.kind === 'a surplus')
    return {
      invoiceId,
      request: ({ fatura }) => fatura.invoices.retrieve(invoiceId),
      rivals: [],
      ...strikeAt(newest?.id),
    };
  const request: Prepared['request'] = ({ fatura }, idempotencyKey) =>
    fatura.refunds.create({ payment_intent: intentId, amount: partOf(one, amount) }, { idempotencyKey });
  const refund: Prepared['request'] = ({ fatura }, idempotencyKey) =>
    fatura.refunds.create({ payment_intent: intentId, amount: 300 }, { idempotencyKey });
  if (one.place === 'refund.after-asking') return { invoiceId, request, rivals: [refund] };
  await answerOf(request(merchant, key));
  return { invoiceId, request, rivals: [refund], ...strikeAt(intentId) };
}

const strikeAt = (intentId = ''): Pick<Prepared, 'strike'> => ({
  strike: (process) => process.step('refund-settlement', intentId),
});

/** The case has been at it before, as far as the cell wants it. */
async function beginReturn({ stage, shop }: Scene, { strike }: Prepared, { from }: Case): Promise<void> {
  if (from === 'never asked for') return;
  await strike?.(stage.witness);
  if (from === 'completed at the bank') await letTimePass(stage.composition.deps, shop);
}

const cases: Case[] = keysOf(places).flatMap((place) =>
  keysOf(returnings).flatMap((returning) =>
    keysOf(findings).flatMap((finding) =>
      kinds.flatMap((kind) => begun.map((from) => ({ place, returning, finding, kind, from }))),
    ),
  ),
);

const cellOf = (one: Case, { amount }: Variation): Cell => ({
  name: `${one.place}, return of ${one.kind} ${one.returning}, asked: ${one.finding}, ${one.from}`,
  death: places[one.place],
  mode: { ...returnings[one.returning], ...findings[one.finding] },
  prepare: async (scene) => {
    const prepared = await askBack(scene, await openQr(scene, amount), one, amount);
    await beginReturn(scene, prepared, one);
    return prepared;
  },
  answers: answersOf(one),
  books: booksOf(one, amount),
});

/** A refund by PIX is answered as it was asked, a surplus has none. */
function answersOf({ kind }: Case): Cell['answers'] {
  const answer = kind === 'a surplus' ? 'paid' : 'refunding';
  return { isHeld: false, repeat: answer, looked: answer, final: answer };
}

testCells([
  {
    rule: 'an API killed while a PIX goes back returns it once',
    cells: (variation) => cases.filter(differs).map((one) => cellOf(one, variation)),
  },
]);
