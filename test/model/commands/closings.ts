import fc from 'fast-check';
import { type Books, unsettledOf } from '../books.ts';
import { clearing, isConfirmed, OK, type Outcome, refused, standingQr, type Weather } from '../model.ts';
import { standingOf } from '../standing.ts';
import { NOTICE_STEPS, often, type Plan, request } from './deed.ts';

const closings = {
  void: { leaves: 'void', from: ['open', 'uncollectible'] },
  markUncollectible: { leaves: 'uncollectible', from: ['open'] },
} as const;
type Closing = keyof typeof closings;

/** A bank that is away is told later, and what is paid meanwhile is returned (docs/product/pix.md#ending-a-qr-code). */
function closingOutcomes(books: Books, closing: Closing, weather: Weather): Outcome[] {
  const { leaves, from } = closings[closing];
  const before = standingOf(books);
  if (!from.some((status) => status === before.invoice)) return refused(books, 'INVALID_STATE');
  if (unsettledOf(books)?.status === 'processing' || isConfirmed(books)) return refused(books, 'PAYMENT_IN_PROGRESS');
  const closed: Outcome = { code: OK, standing: { ...before, invoice: leaves, unsettled: 'none' } };
  const qr = standingQr(books);
  if (qr === null) return [closed];
  const bank = clearing(books, qr, { weather, asks: 'expirePix', paid: 'PAYMENT_IN_PROGRESS', silent: closed });
  return [...(bank.goesOn ? [closed] : []), ...bank.ends];
}

export const close = (closing: Closing): Plan => ({
  label: closing,
  calls: ['expirePix', 'findPix'],
  steps: often(3, ['ending.after-retiring', 'ending.after-acquirer'], NOTICE_STEPS),
  pin: ({ invoice: { id } }) => ({
    label: closing,
    kind: 'close',
    perform: (site, key) => request(site, () => site.client(key).invoices[closing](id, { idempotencyKey: key })),
    outcomes: (books, weather) => closingOutcomes(books, closing, weather),
  }),
});

export const closingPlans: fc.Arbitrary<Plan> = fc.constantFrom<Closing[]>('void', 'markUncollectible').map(close);
