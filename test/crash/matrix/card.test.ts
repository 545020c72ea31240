import { expect } from 'vitest';
import { run } from '../../../server/db/statement.ts';
import { byCard, cards } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';
import { ownStatement } from '../../support/statements.ts';
import { type Books, openBooks, paidBooks, told } from '../books.ts';
import {
  type Answers,
  answerOf,
  type Cell,
  type Death,
  keysOf,
  type Prepared,
  type Request,
  type Scene,
} from '../cell.ts';
import type { Variation } from '../seeds.ts';
import type { BankMode } from '../stage.ts';
import { testCells } from './matrix.ts';
import { rivalsOf } from './rivals.ts';

/** What the acquirer does with a charge. */
const charges = {
  ok: {},
  decline: { chargeCard: { decline: 1 } },
  request_lost: { chargeCard: { request_lost: 1 } },
  answer_lost: { chargeCard: { answer_lost: 1 } },
  fault: { chargeCard: { fault: 1 } },
} as const satisfies Record<string, BankMode>;
type Charge = keyof typeof charges;

/** What it says when it is asked about one. */
const findings = {
  told: {},
  silent: { findCharge: { fault: 1 } },
  'not found at first': { findCharge: { not_found_seconds: 3_600 } },
} as const satisfies Record<string, BankMode>;
type Finding = keyof typeof findings;

const places = {
  'card.after-tokenize': { at: 'card.after-tokenize' },
  'card.after-attempt': { at: 'card.after-attempt' },
  'card.after-charge': { at: 'card.after-charge' },
  'card.after-outcome': { at: 'card.after-outcome' },
  'before the acquirer charges': { after: 'card.after-attempt', duringCall: 'chargeCard' },
  'while the acquirer charges': { after: 'card.after-attempt', duringCall: 'chargeCard', isAtBank: true },
  'reconciliation.after-asking': { at: 'reconciliation.after-asking' },
} as const satisfies Record<string, Death>;
type Place = keyof typeof places;

interface Case {
  readonly place: Place;
  readonly charge: Charge;
  readonly finding: Finding;
}

/** Whether the process dies before the acquirer has the charge, so that it never gets it. */
const isNeverSent = (place: Place): boolean =>
  place === 'card.after-attempt' || place === 'before the acquirer charges';

/** What the acquirer's books have in the end, of the one charge that reached it: the first one's, or the repeat's when the first never got so far. */
function atBank({ place, charge }: Case): 'approved' | 'declined' | 'nothing' {
  if (isNeverSent(place) || charge === 'request_lost') return 'nothing';
  return charge === 'decline' ? 'declined' : 'approved';
}

const isKnown = (charge: Charge): boolean => charge === 'ok' || charge === 'decline';

/** Whether the outcome is in our books before any case looks: the process died after that, or so early that the repeat did it all. */
const isBooked = ({ place, charge }: Case): boolean =>
  isKnown(charge) && (place === 'card.after-outcome' || place === 'card.after-tokenize');

/** Combinations that differ from no other: each line says why. */
function differs(one: Case): boolean {
  const { place, charge, finding } = one;
  // The acquirer never gets to what it would have done.
  if (isNeverSent(place) && charge !== 'ok') return false;
  // What the process heard dies with it: a lost answer is the same as one that came.
  const isHeard = place === 'card.after-charge' || place === 'while the acquirer charges';
  if (isHeard && (charge === 'answer_lost' || charge === 'fault')) return false;
  // A slow charge is approved.
  if (place === 'while the acquirer charges' && charge !== 'ok') return false;
  // Never reached when the outcome is unknown.
  if (place === 'card.after-outcome' && !isKnown(charge)) return false;
  // A case looks only where the outcome is unknown, and the one that dies was told.
  if (place === 'reconciliation.after-asking' && (isKnown(charge) || charge === 'fault' || finding !== 'told'))
    return false;
  // Nobody asks about a charge whose outcome is booked.
  if (isBooked(one) && finding !== 'told') return false;
  // What the bank does not have it cannot hide.
  return finding !== 'not found at first' || atBank(one) !== 'nothing';
}

const finals = {
  approved: 'paid',
  declined: 'CARD_DECLINED issuer_declined',
  nothing: 'CARD_DECLINED processing_error',
} as const;

function answersOf(one: Case): Answers {
  const { place, finding } = one;
  const final = finals[atBank(one)];
  const isTold = finding === 'told' && atBank(one) !== 'nothing' && place !== 'while the acquirer charges';
  return {
    isHeld: !['card.after-tokenize', 'card.after-outcome', 'reconciliation.after-asking'].includes(place),
    repeat: isBooked(one) ? final : 'ACQUIRER_TIMEOUT',
    looked: isBooked(one) || isTold ? final : 'ACQUIRER_TIMEOUT',
    final,
  };
}

function booksOf(one: Case, amount: number): Books {
  const truth = atBank(one);
  const sent = [...told.created, ...told.cardSent];
  if (truth === 'approved')
    return paidBooks(amount, {
      intents: ['card paid'],
      attempts: [truth],
      charges: [`${truth} ${amount}`],
      events: [...sent, ...told.paid],
    });
  return openBooks({
    intents: ['card failed'],
    attempts: [truth === 'declined' ? truth : 'never_charged'],
    charges: truth === 'declined' ? [`${truth} ${amount}`] : [],
    events: [...sent, ...told.declined],
  });
}

const cases: Case[] = keysOf(places).flatMap((place) =>
  keysOf(charges).flatMap((charge) => keysOf(findings).map((finding) => ({ place, charge, finding }))),
);

const cellOf = (one: Case, { amount, card }: Variation): Cell => ({
  name: `${one.place}, charge ${one.charge}, asked: ${one.finding}`,
  death: places[one.place],
  mode: { ...charges[one.charge], ...findings[one.finding] },
  prepare: async (scene) => {
    const { id } = await newInvoice(scene.merchant, { amount });
    const number = one.place === 'while the acquirer charges' ? cards.slow : card;
    const request: Request = ({ fatura }, idempotencyKey) =>
      fatura.invoices.checkout(id, byCard(number), { idempotencyKey });
    const strike = one.place === 'reconciliation.after-asking' ? await lookOf(scene, request, one) : {};
    return { invoiceId: id, request, ...strike, rivals: rivalsOf(id) };
  },
  ...(one.place === 'while the acquirer charges' ? { meanwhile: keepAtAcquirer } : {}),
  answers: answersOf(one),
  books: booksOf(one, amount),
});

const keepCharges = ownStatement(
  'test_keep_charges',
  `UPDATE sandbox_bank.charge SET completes_at = now() + interval '1 hour' WHERE account_id = $1`,
);

/** The acquirer takes longer than the test, however slow that is. */
const keepAtAcquirer = ({ stage, shop }: Scene) => run(stage.composition.deps.pool, keepCharges, [shop.accountId]);

/** The request has come to an unknown end, and the case looks at it in the process that is to die. */
async function lookOf(scene: Scene, request: Request, { charge }: Case): Promise<Pick<Prepared, 'strike'>> {
  const { stage, shop, merchant, key } = scene;
  await stage.behave(shop, charges[charge]);
  expect(await answerOf(request(merchant, key))).toBe('ACQUIRER_TIMEOUT');
  const { data } = await merchant.fatura.paymentIntents.list().page();
  return { strike: (process) => process.step('charge-reconciliation', data[0]?.id ?? '') };
}

testCells([
  {
    rule: 'an API killed during a card checkout charges once or not at all',
    cells: (variation) => cases.filter(differs).map((one) => cellOf(one, variation)),
  },
]);
