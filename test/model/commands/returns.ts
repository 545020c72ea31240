import { refundSettlementStep } from '../../../server/payments/refunds/settlement.ts';
import type { Books, Part } from '../books.ts';
import { meets, type Outcome, reached, type Weather } from '../model.ts';
import { type Standing, standingOf, tell } from '../standing.ts';
import { type Plan, pick, step } from './deed.ts';

const TEST_REFUSAL_CENTS = 99;
/** How long the sandbox's bank takes for a return by PIX. */
const RETURN_SECONDS = 5;

/** What the bank says of a part that is looked for, and asked for where the bank has never heard of it. */
function endOf(books: Books, part: Part, weather: Weather): 'completed' | 'refused' | null {
  if (part.retryAt !== null && books.now < part.retryAt) return null;
  const known = books.returns.find(({ reference }) => reference === part.reference);
  if (known !== undefined) return known.isRefused ? 'refused' : known.completesAt <= books.now ? 'completed' : null;
  if (weather.refuses === true) return 'refused';
  if (books.attempts.some(({ intentId }) => intentId === part.intentId)) return 'completed';
  const payment = books.payments.find(({ intentId }) => intentId === part.intentId);
  const isFirst = !books.returns.some(({ of }) => of === payment?.id);
  const isRefused = part.amount % 100 === TEST_REFUSAL_CENTS && (part.reason !== 'surplus' || isFirst);
  if (isRefused) return 'refused';
  return part.askedAt + RETURN_SECONDS <= books.now ? 'completed' : null;
}

function ended(standing: Standing, { reason, amount }: Part, end: 'completed' | 'refused'): Standing {
  const { refunding, refunded, surplusReturning, surplusReturned } = standing;
  // A surplus is asked back until it is back.
  if (reason === 'surplus')
    return end === 'refused'
      ? standing
      : {
          ...standing,
          surplusReturning: surplusReturning - amount,
          surplusReturned: surplusReturned + amount,
        };
  return { ...standing, refunding: refunding - amount, refunded: end === 'completed' ? refunded + amount : refunded };
}

/** Parts are looked at in any order: where the step is hit, any of those that would have ended may have. */
function returnOutcomes(books: Books, intentId: string, weather: Weather): Outcome[] {
  const isHit = (['findRefund', 'refundPix', 'refundCard'] as const).some((call) => meets(weather, call));
  let standings = [standingOf(books)];
  for (const part of books.parts) {
    if (part.intentId !== intentId || part.status !== 'refunding') continue;
    const end = endOf(books, part, weather);
    if (end === null) continue;
    const then = standings.map((standing) => ended(standing, part, end));
    standings = isHit ? distinct([...standings, ...then]) : then;
  }
  return standings.map(reached);
}

const distinct = (standings: readonly Standing[]): Standing[] => [
  ...new Map(standings.map((standing) => [tell(standing), standing])).values(),
];

/** The case that sees the returns of a payment through, at any moment. */
export const returns = (nth: number): Plan => ({
  label: `returns of payment ${nth}`,
  calls: ['findRefund', 'refundPix', 'refundCard'],
  steps: ['return.after-asking', 'return.after-booking'],
  pin: ({ intents, parts }) => {
    const asked = intents.filter(({ id }) => parts.some((part) => part.intentId === id));
    const intentId = pick([...asked].reverse(), nth)?.id;
    if (intentId === undefined) return null;
    return {
      label: `returns of ${intentId}`,
      kind: 'step',
      perform: (site) => step(site, () => refundSettlementStep(site.deps, intentId)),
      outcomes: (books, weather) => returnOutcomes(books, intentId, weather),
    };
  },
});
