import fc from 'fast-check';
import type { PixScenario } from '../../../contract/sandbox.ts';
import type { Books, Qr } from '../books.ts';
import { last, meets, newsAfter, OK, type Outcome, refused, settling, type Weather } from '../model.ts';
import { standingOf } from '../standing.ts';
import { NOTICE_STEPS, often, type Plan, pick, request } from './deed.ts';

/** Payments that the scenario adds to those the bank settled, and whether it settles the confirmed ones (docs/product/sandbox.md#paying-a-qr-code). */
function paidBy(scenario: PixScenario, isPaid: boolean): { settled: number; settlesConfirmed: boolean } {
  switch (scenario) {
    case 'paid':
      return { settled: isPaid ? 0 : 1, settlesConfirmed: isPaid };
    case 'paid_twice':
      return { settled: isPaid ? 1 : 2, settlesConfirmed: false };
    case 'paid_late':
      return { settled: 1, settlesConfirmed: false };
    case 'confirmed_not_settled':
      return { settled: 0, settlesConfirmed: false };
  }
}

const mayBePaid = (qr: Qr, scenario: PixScenario, now: number): boolean =>
  qr.cob === 'CONCLUIDA' || scenario === 'paid_late' || (qr.cob === 'ATIVA' && now < qr.expiresAt);

function payingOutcomes(
  books: Books,
  { txid, scenario }: { txid: string; scenario: PixScenario },
  weather: Weather,
): Outcome[] {
  const qr = books.qrs.find((other) => other.txid === txid);
  if (qr === undefined) throw new Error(`${txid} is not in the books`);
  if (!qr.isHandedOut || !mayBePaid(qr, scenario, books.now)) return refused(books, 'INVALID_STATE');
  const { settled, settlesConfirmed } = paidBy(scenario, qr.cob === 'CONCLUIDA');
  const added = Array.from({ length: settled }, () => ({ amount: books.invoice.total, isBooked: false }));
  const standings = settling(books, qr, [...newsAfter(books, txid, settlesConfirmed), ...added]);
  const untold = { code: 'ACQUIRER_TIMEOUT', standing: standingOf(books) };
  return [
    { code: OK, standing: last(standings) },
    ...(meets(weather, 'findPix') ? [untold] : []),
    ...(weather.isStorm ? standings.map((standing) => ({ code: OK, standing })) : []),
  ];
}

/** The payment is made: a repeat handles its notice, unless that was handled before. */
function toldAgain(books: Books, txid: string): Outcome[] {
  const qr = books.qrs.find((other) => other.txid === txid);
  const standings = qr === undefined ? [] : [last(settling(books, qr)), standingOf(books)];
  return standings.map((standing) => ({ code: OK, standing }));
}

const pay = ({ nth, scenario }: { nth: number; scenario: PixScenario }): Plan => ({
  label: `pay_pix ${scenario} of QR code ${nth}`,
  calls: ['findPix'],
  steps: often(
    scenario === 'paid_twice' ? 8 : 0,
    ['settlement.between-payments'],
    ['settlement.after-booking', ...NOTICE_STEPS],
  ),
  pin: ({ qrs }) => {
    const qr = pick([...qrs].reverse(), nth);
    if (qr === null) return null;
    const { txid, intentId } = qr;
    return {
      label: `pay_pix ${scenario} of ${txid}`,
      kind: 'pay_pix',
      perform: (site, key) =>
        request(site, () =>
          site.client(key).testHelpers.paymentIntents.payPix(intentId, { scenario }, { idempotencyKey: key }),
        ),
      outcomes: (books, weather) => payingOutcomes(books, { txid, scenario }, weather),
      again: { lease: txid, outcomes: (books) => toldAgain(books, txid) },
    };
  },
});

/** Mostly of the newest QR code. */
export const payingPlans: fc.Arbitrary<Plan> = fc
  .record({
    nth: fc.constantFrom(0, 0, 0, 1, 2),
    scenario: fc.constantFrom<PixScenario[]>(
      'paid',
      'paid',
      'paid_twice',
      'paid_late',
      'confirmed_not_settled',
      'confirmed_not_settled',
    ),
  })
  .map(pay);
