import type { PixScenario } from '../../../contract/sandbox.ts';
import { ANY_CALL, changeBehaviour } from '../../../server/payments/acquirer/sandbox/behaviour.ts';
import { type Books, openBooks, paidBooks, told } from '../books.ts';
import { type Answers, type Cell, type Death, keysOf, type Prepared, type Scene } from '../cell.ts';
import { type OpenQr, openQr, pay, payLate } from '../pix.ts';
import type { Variation } from '../seeds.ts';
import type { BankMode } from '../stage.ts';
import { testCells } from './matrix.ts';
import { rivalsOf } from './rivals.ts';

/** Who handles the bank's notice when the process dies: the request that paid, or the case. */
const handlers = ['the payment', 'the case'] as const;
type Handler = (typeof handlers)[number];

const findings = { told: {}, silent: { findPix: { fault: 1 } } } as const satisfies Record<string, BankMode>;
type Finding = keyof typeof findings;

const scenarios = ['paid', 'paid_twice', 'paid_late', 'confirmed_not_settled'] as const satisfies PixScenario[];

const places = {
  'settlement.after-booking': { at: 'settlement.after-booking' },
  'while the bank is asked': { after: 'settlement.after-booking', duringCall: 'findPix' },
  'settlement.before-settle': { at: 'settlement.before-settle' },
  'settlement.between-payments': { at: 'settlement.between-payments' },
  'settlement.after-settle': { at: 'settlement.after-settle' },
} as const satisfies Record<string, Death>;
type Place = keyof typeof places;

interface Settling {
  readonly place: Place;
  readonly handler: Handler;
  readonly finding: Finding;
  readonly scenario: (typeof scenarios)[number];
}

const isBeforeAsking = (place: Place): boolean =>
  place === 'settlement.after-booking' || place === 'while the bank is asked';

function settlingDiffers({ place, handler, finding, scenario }: Settling): boolean {
  // Only several payments have something between them.
  if (place === 'settlement.between-payments' && scenario !== 'paid_twice') return false;
  // The case begins by asking the bank, and dies of nothing before.
  if (handler === 'the case' && isBeforeAsking(place)) return false;
  // A bank that is silent all along lets nobody come further; one that is so later changes nothing for who is done.
  if (finding === 'silent' && !(handler === 'the payment' && place === 'settlement.after-booking')) return false;
  // The bank takes a late payment of an open QR code as any other.
  return scenario !== 'paid_late' || place === 'settlement.after-booking';
}

/** What the payment's own charge shows. */
function settlingAnswers({ place, finding, scenario }: Settling): Answers {
  const isWaiting = scenario === 'confirmed_not_settled';
  const isSettled = place === 'settlement.after-settle' || place === 'settlement.between-payments';
  return {
    isHeld: false,
    repeat: isSettled && !isWaiting ? 'paid' : 'pending',
    looked: isWaiting || finding === 'silent' ? 'pending' : 'paid',
    final: 'paid',
  };
}

function settlingBooks({ scenario }: Settling, amount: number): Books {
  const events = [...told.created, ...told.qrMade, ...told.paid];
  if (scenario !== 'paid_twice') return paidBooks(amount, { intents: ['pix paid'], receipts: [amount], events });
  return paidBooks(amount, {
    intents: ['pix paid', 'pix refunded surplus'],
    receipts: [amount, amount],
    returns: [String(amount)],
    events: [...events, ...told.surplus, ...told.returned],
  });
}

/** The buyer pays, and the bank's notice of it is handled in the process that is to die. */
async function paymentOf(scene: Scene, qr: OpenQr, { handler, scenario }: Settling): Promise<Prepared['strike']> {
  const { shop, stage, merchant } = scene;
  const { intentId, txid } = qr;
  if (handler === 'the payment') return (process) => pay(shop.at(process), intentId, scenario, scene.key);
  const { pool } = stage.composition.deps;
  const { accountId } = shop;
  await changeBehaviour(pool, { accountId, call: ANY_CALL, changes: { notice_delay_seconds: 3_600 } });
  await pay(merchant, intentId, scenario);
  return (process) => process.step('pix-settlement', txid);
}

const settlings: Settling[] = keysOf(places).flatMap((place) =>
  handlers.flatMap((handler) =>
    keysOf(findings).flatMap((finding) => scenarios.map((scenario) => ({ place, handler, finding, scenario }))),
  ),
);

const settlingCell = (one: Settling, { amount }: Variation): Cell => ({
  name: `${one.place}, ${one.scenario}, handled by ${one.handler}, bank ${one.finding}`,
  death: places[one.place],
  mode: findings[one.finding],
  prepare: async (scene) => {
    const qr = await openQr(scene, amount);
    const strike = await paymentOf(scene, qr, one);
    return {
      invoiceId: qr.invoiceId,
      request: ({ fatura }) => fatura.paymentIntents.retrieve(qr.intentId),
      ...(strike === undefined ? {} : { strike }),
      rivals: rivalsOf(qr.invoiceId),
    };
  },
  answers: settlingAnswers(one),
  books: settlingBooks(one, amount),
});

/** What the bank does when it is to end the QR code of an invoice that is taken out of payment. */
const ends = {
  ok: {},
  request_lost: { expirePix: { request_lost: 1 } },
  answer_lost: { expirePix: { answer_lost: 1 } },
  fault: { expirePix: { fault: 1 } },
} as const satisfies Record<string, BankMode>;
type End = keyof typeof ends;

const closings = { void: 'void', uncollectible: 'markUncollectible' } as const;
type Closing = keyof typeof closings;

const buyers = ['stays away', 'pays before the repeat', 'pays at last'] as const;

const closePlaces = {
  'ending.after-retiring': { at: 'ending.after-retiring' },
  'during the expiry': { after: 'ending.after-retiring', duringCall: 'expirePix' },
  'ending.after-acquirer': { at: 'ending.after-acquirer' },
} as const satisfies Record<string, Death>;
type ClosePlace = keyof typeof closePlaces;

interface Close {
  readonly place: ClosePlace;
  readonly end: End;
  readonly closing: Closing;
  readonly buyer: (typeof buyers)[number];
}

function closeDiffers({ place, end, closing, buyer }: Close): boolean {
  // It dies before the bank does anything, as at ending.after-retiring.
  if (place === 'during the expiry' && end !== 'ok') return false;
  // The two ways share all that the process can die of; what is paid in the end tells them apart.
  if (closing === 'uncollectible') return end === 'ok' && buyer !== 'pays before the repeat';
  // A settled invoice ends the matter before the bank is asked once more.
  return buyer !== 'pays before the repeat' || end === 'ok' || place === 'ending.after-acquirer';
}

function closeAnswers({ closing, buyer }: Close): Answers {
  const answer = buyer === 'pays before the repeat' ? 'INVALID_STATE' : closing;
  return { isHeld: false, repeat: answer, looked: answer, final: answer };
}

function closeBooks({ closing, buyer }: Close, amount: number): Books {
  const opened = [...told.created, ...told.qrMade];
  const receipts = buyer === 'stays away' ? [] : [amount];
  if (buyer === 'pays before the repeat')
    return paidBooks(amount, { intents: ['pix paid'], receipts, events: [...opened, ...told.paid] });
  const ended = closing === 'void' ? 'invoice.voided' : 'invoice.marked_uncollectible';
  const events = [...opened, ...told.takenOver, ended];
  const invoice = { status: closing, amount_paid: 0, amount_refunded: 0 };
  if (buyer === 'stays away') return openBooks({ invoice, intents: ['pix discarded'], events });
  if (closing === 'void')
    return openBooks({
      invoice,
      receipts,
      intents: ['pix discarded', 'pix refunded surplus'],
      returns: [String(amount)],
      events: [...events, ...told.surplus, ...told.returned],
    });
  const settled = [...events, ...told.qrMade, ...told.paid];
  return paidBooks(amount, { intents: ['pix discarded', 'pix paid'], receipts, events: settled });
}

const closes: Close[] = keysOf(closePlaces).flatMap((place) =>
  keysOf(ends).flatMap((end) =>
    keysOf(closings).flatMap((closing) => buyers.map((buyer) => ({ place, end, closing, buyer }))),
  ),
);

const closeCell = (one: Close, { amount }: Variation): Cell => ({
  name: `${one.place}, ${one.closing}, expiry ${one.end}, the buyer ${one.buyer}`,
  death: closePlaces[one.place],
  mode: ends[one.end],
  prepare: async (scene) => {
    const { invoiceId: id } = await openQr(scene, amount);
    return {
      invoiceId: id,
      request: ({ fatura }, idempotencyKey) => fatura.invoices[closings[one.closing]](id, { idempotencyKey }),
      rivals: rivalsOf(id),
    };
  },
  ...(one.buyer === 'pays before the repeat' ? { meanwhile: payLate } : {}),
  ...(one.buyer === 'pays at last' ? { finish: payLate } : {}),
  answers: closeAnswers(one),
  books: closeBooks(one, amount),
});

testCells([
  {
    rule: 'an API killed while a PIX settles books each receipt once',
    cells: (variation) => settlings.filter(settlingDiffers).map((one) => settlingCell(one, variation)),
  },
  {
    rule: 'an API killed while an invoice is taken out of payment keeps no receipt of it',
    cells: (variation) => closes.filter(closeDiffers).map((one) => closeCell(one, variation)),
  },
]);
