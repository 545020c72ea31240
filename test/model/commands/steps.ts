import fc from 'fast-check';
import { chargeReconciliationStep } from '../../../server/payments/card/reconciliation.ts';
import { pixExpiryStep } from '../../../server/payments/pix/ending.ts';
import { pixSettlementStep } from '../../../server/payments/pix/settlement.ts';
import type { Attempt, Books, Qr } from '../books.ts';
import { meets, type Outcome, reached, settling, upTo, type Weather } from '../model.ts';
import { type Standing, standingOf } from '../standing.ts';
import { type Deed, NOTICE_STEPS, type Plan, pick, step } from './deed.ts';
import { returns } from './returns.ts';

function qrOf({ qrs }: Books, txid: string): Qr {
  const qr = qrs.find((other) => other.txid === txid);
  if (qr === undefined) throw new Error(`${txid} is not in the books`);
  return qr;
}

const noticeOutcomes = (books: Books, txid: string, weather: Weather): Outcome[] => [
  ...upTo(settling(books, qrOf(books, txid)), weather.isStorm === true),
  ...(meets(weather, 'findPix') ? [reached(standingOf(books))] : []),
];

/** Any QR code, at any moment: notices come twice, late and in another order. */
const notice = (nth: number): Plan => ({
  label: `notice of QR code ${nth}`,
  calls: ['findPix'],
  steps: NOTICE_STEPS,
  pin: ({ qrs }) => {
    const txid = pick([...qrs].reverse(), nth)?.txid;
    if (txid === undefined) return null;
    return {
      label: `notice of ${txid}`,
      kind: 'step',
      perform: (site) => step(site, () => pixSettlementStep(site.deps, txid)),
      outcomes: (books, weather) => noticeOutcomes(books, txid, weather),
    };
  },
});

function expiryOutcomes(books: Books, txid: string, weather: Weather): Outcome[] {
  const qr = qrOf(books, txid);
  const intent = books.intents.find(({ id }) => id === qr.intentId);
  const isInUse = intent?.status === 'pending' && (qr.state === 'creating' || qr.state === 'active');
  if (isInUse || qr.cob !== 'CONCLUIDA') return [reached(standingOf(books))];
  const untold = meets(weather, 'expirePix') ? [reached(standingOf(books))] : [];
  return [...noticeOutcomes(books, txid, weather), ...untold];
}

const expiry = (nth: number): Plan => ({
  label: `expiry of QR code ${nth}`,
  calls: ['expirePix', 'findPix'],
  steps: NOTICE_STEPS,
  pin: ({ qrs }) => {
    const txid = pick([...qrs].reverse(), nth)?.txid;
    if (txid === undefined) return null;
    return {
      label: `expiry of ${txid}`,
      kind: 'step',
      perform: (site) => step(site, () => pixExpiryStep(site.deps, txid)),
      outcomes: (books, weather) => expiryOutcomes(books, txid, weather),
    };
  },
});

/** After the deadline nothing is on its way any more; our clock and the acquirer's may differ by as much. */
const MARGIN_SECONDS = 5;
/** So near to a deadline the step may find itself on either side of it. */
const NEAR_SECONDS = 2;

type Proof = 'approved' | 'declined' | null;

/** What the acquirer may prove of an attempt; null: nothing. Unknown is never declined. */
function proofs({ charge, overdue }: Attempt, weather: Weather): Proof[] {
  const known: Proof = charge === null ? 'declined' : charge.outcome;
  if (charge !== null && weather.hides !== true) return [known];
  const since = charge === null ? overdue - MARGIN_SECONDS : overdue;
  if (Math.abs(since) < NEAR_SECONDS) return [known, null];
  return [since > 0 ? known : null];
}

/** Receipts that waited for the charge are decided with it: one may settle the invoice, the others are surplus. */
function reconciled(before: Standing, outcome: 'approved' | 'declined', total: number): Standing {
  const waiting = before.undecided;
  const known = { ...before, undecided: 0 };
  if (outcome === 'approved')
    return {
      ...known,
      unsettled: 'none',
      invoice: 'paid',
      settledBy: 'card',
      surplusReturning: before.surplusReturning + waiting,
    };
  if (waiting === 0) return { ...known, unsettled: 'failed' };
  return {
    ...known,
    unsettled: 'none',
    invoice: 'paid',
    settledBy: 'pix',
    charges: before.charges + 1,
    surplusReturning: before.surplusReturning + waiting - total,
  };
}

function reconciliationOutcomes(books: Books, intentId: string, weather: Weather): Outcome[] {
  const before = standingOf(books);
  const sent = books.attempts.find((attempt) => attempt.intentId === intentId && attempt.status === 'sent');
  const known = sent === undefined ? [null] : proofs(sent, weather);
  return [...known, ...(meets(weather, 'findCharge') ? [null] : [])].map((proof) =>
    reached(proof === null ? before : reconciled(before, proof, books.invoice.total)),
  );
}

const reconciliation = (nth: number): Plan => ({
  label: `reconciliation of card charge ${nth}`,
  calls: ['findCharge'],
  steps: ['reconciliation.after-asking'],
  pin: ({ attempts }) => {
    const intentId = pick([...attempts].reverse(), nth)?.intentId;
    if (intentId === undefined) return null;
    return {
      label: `reconciliation of ${intentId}`,
      kind: 'step',
      perform: (site) => step(site, () => chargeReconciliationStep(site.deps, intentId)),
      outcomes: (books, weather) => reconciliationOutcomes(books, intentId, weather),
    };
  },
});

/** The relay and the cases that it reached: what comes of them only the invariants tell. */
const workerTurn = (isAllDue: boolean): Plan => {
  const label = isAllDue ? 'worker turn on all that waits' : 'worker turn';
  return {
    label,
    calls: ['findPix', 'expirePix', 'findCharge', 'findRefund', 'refundPix', 'refundCard'],
    steps: ['reconciliation.after-asking', 'return.after-asking', 'return.after-booking', ...NOTICE_STEPS],
    pin: (): Deed => ({
      label,
      kind: 'step',
      perform: (site) => step(site, () => site.worker.turn({ isAllDue })),
      outcomes: () => null,
    }),
  };
};

const LATE_SECONDS = 30;

/** For the while that a charge is on its way: the acquirer's deadline passes, and it is asked what it never heard of. */
export const latePlans: fc.Arbitrary<Plan> = fc.constant({
  label: 'the deadline passes, reconciliation',
  calls: [],
  steps: [],
  pin: ({ attempts }) => {
    const intentId = attempts.find(({ status }) => status === 'sent')?.intentId;
    if (intentId === undefined) return null;
    return {
      label: `late reconciliation of ${intentId}`,
      kind: 'step',
      perform: (site) =>
        step(site, async () => {
          await site.passRealTime(LATE_SECONDS);
          await chargeReconciliationStep(site.deps, intentId);
        }),
      outcomes: () => null,
    };
  },
});

const nth = fc.constantFrom(0, 0, 1, 2);
export const returnPlans: fc.Arbitrary<Plan> = nth.map(returns);

export const stepPlans: fc.Arbitrary<Plan> = fc.oneof(
  nth.map(notice),
  nth.map(expiry),
  nth.map(reconciliation),
  returnPlans,
  returnPlans,
  fc.boolean().map(workerTurn),
);
