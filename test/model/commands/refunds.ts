import fc from 'fast-check';
import { type Books, type Intent, sum } from '../books.ts';
import { meets, OK, type Outcome, refused, type Weather } from '../model.ts';
import { standingOf } from '../standing.ts';
import { type Plan, pick, request } from './deed.ts';

const WINDOW_SECONDS = 90 * 86_400;

/** What of a payment is asked back; the bank refuses PIX returns whose cents end in 99. */
const amounts = {
  all: () => undefined,
  third: (total: number) => Math.floor(total / 3),
  cent: () => 1,
  refused: (total: number) => (total > 199 ? 199 : 99),
  'too much': (total: number) => total + 1,
} as const;
type Amount = keyof typeof amounts;

const leftOf = ({ parts }: Books, { id, amount }: Intent): number =>
  amount -
  sum(
    parts.filter((part) => part.intentId === id && part.status !== 'failed'),
    (part) => part.amount,
  );

function whyNotRefundable(books: Books, intent: Intent, asked: number): string | null {
  const { status, surplus, method, paidAt } = intent;
  if (surplus || (status !== 'paid' && status !== 'refunding')) return 'INVALID_STATE';
  if (method === 'pix' && books.now > (paidAt ?? 0) + WINDOW_SECONDS) return 'REFUND_WINDOW_CLOSED';
  const left = leftOf(books, intent);
  return left <= 0 || asked > left ? 'REFUND_EXCEEDS_BALANCE' : null;
}

function refundOutcomes(
  books: Books,
  { intentId, amount }: { intentId: string; amount: number | undefined },
  weather: Weather,
): Outcome[] {
  const intent = books.intents.find(({ id }) => id === intentId);
  if (intent === undefined) throw new Error(`${intentId} is not in the books`);
  const asked = amount ?? leftOf(books, intent);
  const why = whyNotRefundable(books, intent, asked);
  if (why !== null) return refused(books, why);
  const before = standingOf(books);
  const promised = { ...before, refunding: before.refunding + asked };
  if (intent.method === 'pix') return [{ code: OK, standing: promised }];
  const known: Outcome = weather.refuses
    ? { code: 'REFUND_REFUSED', standing: before }
    : { code: OK, standing: { ...before, refunded: before.refunded + asked } };
  const unknown = { code: 'ACQUIRER_TIMEOUT', standing: promised };
  return [known, ...(meets(weather, 'refundCard') ? [unknown] : [])];
}

const newestPaidFirst = ({ intents }: Books): Intent[] =>
  [...intents].reverse().sort((a, b) => Number(b.paidAt !== null) - Number(a.paidAt !== null));

const refund = ({ nth, kind }: { nth: number; kind: Amount }): Plan => ({
  label: `refund ${kind} of ${nth}`,
  calls: ['refundCard'],
  steps: ['refund.after-asking', 'refund.after-acquirer', 'refund.after-booking'],
  pin: (found) => {
    const intent = pick(newestPaidFirst(found), nth);
    if (intent === null) return null;
    const amount = amounts[kind](found.invoice.total);
    const asked = { payment_intent: intent.id, ...(amount === undefined ? {} : { amount }) };
    return {
      label: `refund ${amount ?? 'all'} of ${intent.id}`,
      kind: 'refund',
      perform: (site, key) => request(site, () => site.client(key).refunds.create(asked, { idempotencyKey: key })),
      outcomes: (books, weather) => refundOutcomes(books, { intentId: intent.id, amount }, weather),
    };
  },
});

export const refundPlans: fc.Arbitrary<Plan> = fc
  .record({
    nth: fc.nat({ max: 2 }),
    kind: fc.constantFrom<Amount[]>('all', 'third', 'third', 'cent', 'refused', 'too much'),
  })
  .map(refund);
