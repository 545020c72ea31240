import { type Books, paidBooks, told } from '../books.ts';
import { type Answers, answerOf, type Cell, type Death, keysOf, type Prepared, type Scene } from '../cell.ts';
import { openQr, pay } from '../pix.ts';
import type { Variation } from '../seeds.ts';
import type { BankMode } from '../stage.ts';
import { testCells } from './matrix.ts';

const TAKEN_AMOUNT = 700;
const REFUNDED_AMOUNT = 300;

const findings = { told: {}, silent: { findPix: { fault: 1 } } } as const satisfies Record<string, BankMode>;
type Finding = keyof typeof findings;

/** What the bank does with a payment, and what stands of it before. */
const kinds = ['takes money', 'takes money beside a refund', 'gives money back'] as const;
type Kind = (typeof kinds)[number];

const places = {
  'settlement.after-booking': { at: 'settlement.after-booking' },
  'while the bank is asked': { after: 'settlement.after-booking', duringCall: 'findPix' },
  'settlement.before-settle': { at: 'settlement.before-settle' },
  'settlement.after-returns': { at: 'settlement.after-returns' },
  'settlement.after-settle': { at: 'settlement.after-settle' },
} as const satisfies Record<string, Death>;
type Place = keyof typeof places;

interface Case {
  readonly place: Place;
  readonly finding: Finding;
  readonly kind: Kind;
}

/** A bank that is silent all along lets nobody come further, and a refund that ends meanwhile is told before the rest. */
const differs = ({ place, finding, kind }: Case): boolean =>
  finding === 'told' || (place === 'settlement.after-booking' && kind !== 'takes money beside a refund');

function answersOf({ place, finding, kind }: Case): Answers {
  const shown = kind === 'takes money beside a refund' ? 'refunding' : 'paid';
  const early = finding === 'silent' ? 'ACQUIRER_TIMEOUT' : shown;
  return { isHeld: place !== 'settlement.after-settle', repeat: early, looked: early, final: shown };
}

const TAKEN = ['dispute.created', 'dispute.funds_withdrawn', 'dispute.closed'];

function booksOf({ kind }: Case, amount: number): Books {
  const paid = [...told.created, ...told.qrMade, ...told.paid];
  const sold = { intents: ['pix paid'], receipts: [amount] };
  if (kind === 'gives money back')
    return paidBooks(amount, {
      ...sold,
      returns: [`${TAKEN_AMOUNT} refused`],
      disputes: [`fraud won ${TAKEN_AMOUNT}`],
      events: [...paid, ...TAKEN, 'dispute.updated', 'dispute.funds_reinstated'],
    });
  const taken = { ...sold, disputes: [`fraud lost ${TAKEN_AMOUNT}`] };
  if (kind === 'takes money')
    return paidBooks(amount, { ...taken, returns: [String(TAKEN_AMOUNT)], events: [...paid, ...TAKEN] });
  return paidBooks(amount, {
    ...taken,
    refunded: REFUNDED_AMOUNT,
    returns: [String(REFUNDED_AMOUNT), String(TAKEN_AMOUNT)],
    events: [...paid, 'refund.created', 'payment_intent.refunding', ...TAKEN, 'refund.updated', 'invoice.refunded'],
  });
}

async function prepare(scene: Scene, amount: number, { kind }: Case): Promise<Prepared> {
  const { merchant } = scene;
  const { intentId, invoiceId } = await openQr(scene, amount);
  await pay(merchant, intentId, 'paid');
  const take: Prepared['request'] = ({ fatura }, idempotencyKey) =>
    fatura.testHelpers.paymentIntents.dispute(
      intentId,
      { scenario: 'fraud', amount: TAKEN_AMOUNT },
      { idempotencyKey },
    );
  const giveBack: Prepared['request'] = ({ fatura }, idempotencyKey) =>
    fatura.testHelpers.paymentIntents.dispute(intentId, { scenario: 'reversed' }, { idempotencyKey });
  const refund: Prepared['request'] = ({ fatura }, idempotencyKey) =>
    fatura.refunds.create({ payment_intent: intentId, amount: REFUNDED_AMOUNT }, { idempotencyKey });
  if (kind === 'takes money beside a refund') await answerOf(refund(merchant, `${scene.key}-refund`));
  if (kind === 'gives money back') await answerOf(take(merchant, `${scene.key}-take`));
  return { invoiceId, request: kind === 'gives money back' ? giveBack : take, rivals: [refund, take, giveBack] };
}

const cases: Case[] = keysOf(places).flatMap((place) =>
  keysOf(findings).flatMap((finding) => kinds.map((kind) => ({ place, finding, kind }))),
);

const cellOf = (one: Case, { amount }: Variation): Cell => ({
  name: `${one.place}, the bank ${one.kind}, asked: ${one.finding}`,
  death: places[one.place],
  mode: findings[one.finding],
  prepare: (scene) => prepare(scene, amount, one),
  answers: answersOf(one),
  books: booksOf(one, amount),
});

testCells([
  {
    rule: 'an API killed while a bank takes money back books each return once',
    cells: (variation) => cases.filter(differs).map((one) => cellOf(one, variation)),
  },
]);
