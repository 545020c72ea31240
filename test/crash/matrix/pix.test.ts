import { expect } from 'vitest';
import { run } from '../../../server/db/statement.ts';
import { byCard, cards } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';
import { ownStatement } from '../../support/statements.ts';
import { type Books, paidBooks, told } from '../books.ts';
import { type Answers, answerOf, type Cell, type Death, keysOf, type Scene } from '../cell.ts';
import { openQr, payInTime } from '../pix.ts';
import type { Variation } from '../seeds.ts';
import type { BankMode } from '../stage.ts';
import { testCells } from './matrix.ts';
import { rivalsOf } from './rivals.ts';

/** What the bank does when it is to make the QR code. */
const makings = {
  ok: {},
  request_lost: { createPix: { request_lost: 1 } },
  answer_lost: { createPix: { answer_lost: 1 } },
  fault: { createPix: { fault: 1 } },
} as const satisfies Record<string, BankMode>;
type Making = keyof typeof makings;

/** What stood of the invoice before. */
const formers = ['nothing', 'a declined card', 'an ended QR code'] as const;
type Former = (typeof formers)[number];

const places = {
  'pix.after-intent': { at: 'pix.after-intent' },
  'pix.after-acquirer': { at: 'pix.after-acquirer' },
  'during the making': { after: 'pix.after-intent', duringCall: 'createPix' },
} as const satisfies Record<string, Death>;
type Place = keyof typeof places;

interface Case {
  readonly place: Place;
  readonly making: Making;
  readonly former: Former;
}

function differs({ place, making, former }: Case): boolean {
  // What stood before is over when the process dies; one of the ways to make the QR code tells whether it is.
  if (former !== 'nothing') return making === 'ok' || (making === 'request_lost' && place === 'pix.after-acquirer');
  // It dies before the bank does anything, as at pix.after-intent.
  return place !== 'during the making' || making === 'ok';
}

function answersOf({ making }: Case): Answers {
  const answer = making === 'ok' ? 'open' : 'ACQUIRER_TIMEOUT';
  return { isHeld: true, repeat: answer, looked: answer, final: 'open' };
}

/** The QR code that the repeats were given in the end is paid. */
function booksOf({ former }: Case, amount: number): Books {
  const made = [...told.qrMade, ...told.paid];
  const paid = { receipts: [amount], intents: ['pix paid'] };
  if (former === 'nothing') return paidBooks(amount, { ...paid, events: [...told.created, ...made] });
  if (former === 'an ended QR code')
    return paidBooks(amount, {
      ...paid,
      intents: ['pix discarded', 'pix paid'],
      events: [...told.created, ...told.qrMade, ...told.takenOver, ...made],
    });
  return paidBooks(amount, {
    ...paid,
    intents: ['card discarded', 'pix paid'],
    attempts: ['declined'],
    charges: [`declined ${amount}`],
    events: [...told.created, ...told.cardSent, ...told.declined, ...told.takenOver, ...made],
  });
}

/** Both books in one statement, or the second may have passed between them. */
const endQrs = ownStatement(
  'test_end_qrs',
  `WITH ours AS (UPDATE pix_charge SET expires_at = extract(epoch FROM now())::bigint - 1 WHERE account_id = $1)
   UPDATE sandbox_bank.cob SET expires_at = extract(epoch FROM now())::bigint - 1 WHERE account_id = $1`,
);

const befores: Readonly<Record<Former, (scene: Scene, amount: number) => Promise<string>>> = {
  nothing: async ({ merchant }, amount) => (await newInvoice(merchant, { amount })).id,
  'a declined card': async ({ merchant }, amount) => {
    const { id } = await newInvoice(merchant, { amount });
    const declined = merchant.fatura.invoices.checkout(id, byCard(cards.insufficient_funds));
    expect(await answerOf(declined)).toBe('CARD_DECLINED insufficient_funds');
    return id;
  },
  'an ended QR code': async (scene, amount) => {
    const { invoiceId } = await openQr(scene, amount);
    const { pool } = scene.stage.composition.deps;
    await run(pool, endQrs, [scene.shop.accountId]);
    return invoiceId;
  },
};

const cases: Case[] = keysOf(places).flatMap((place) =>
  keysOf(makings).flatMap((making) => formers.map((former) => ({ place, making, former }))),
);

const cellOf = (one: Case, { amount }: Variation): Cell => ({
  name: `${one.place}, making ${one.making}, over ${one.former}`,
  death: places[one.place],
  mode: makings[one.making],
  prepare: async (scene) => {
    const id = await befores[one.former](scene, amount);
    return {
      invoiceId: id,
      request: ({ fatura }, idempotencyKey) =>
        fatura.invoices.checkout(id, { payment_method_type: 'pix' }, { idempotencyKey }),
      rivals: rivalsOf(id),
    };
  },
  finish: payInTime,
  answers: answersOf(one),
  books: booksOf(one, amount),
});

testCells([
  {
    rule: 'an API killed during a PIX checkout hands out one QR code that can be paid',
    cells: (variation) => cases.filter(differs).map((one) => cellOf(one, variation)),
  },
]);
