import type { BankCall } from '../../server/payments/acquirer/sandbox/behaviour.ts';
import { type Books, newsOf, type Payment, type Qr, unsettledOf } from './books.ts';
import { isPayable, type Standing, standingOf } from './standing.ts';

/** `delayed`: the caller waits in vain, and the request reaches the bank some time later. */
export type Trouble = 'unreachable' | 'request_lost' | 'answer_lost' | 'fault' | 'delayed';

/** What a deed meets at the bank, each trouble once. */
export interface Weather {
  readonly troubles: readonly { readonly call: BankCall; readonly trouble: Trouble }[];
  /** The bank says no to whatever it is asked to return. */
  readonly refuses?: boolean;
  /** The bank finds no charge before that charge's deadline. */
  readonly hides?: boolean;
  /** Any call may meet any trouble, and any step may be the last. */
  readonly isStorm?: boolean;
}

export const CALM: Weather = { troubles: [] };
/** What may become of a deed that ends at any of its steps is what may become of it in this weather. */
export const STORM: Weather = { troubles: [], isStorm: true };

export const meets = (weather: Weather, call: BankCall): boolean =>
  weather.isStorm === true || weather.troubles.some((trouble) => trouble.call === call);

/** One legal answer with the standing that it leaves. */
export interface Outcome {
  readonly code: string;
  readonly standing: Standing;
  /** Not a row of ours or of the bank is changed. */
  readonly isUntouched?: true;
}

export const OK = 'OK';
/** Nobody knows yet what became of it. */
export const UNKNOWN = 'ACQUIRER_TIMEOUT';
export const IN_USE = 'IDEMPOTENCY_KEY_IN_USE';
/** What is answered when the process ends. */
export const CRASHED = 'CRASHED';

export const refused = (books: Books, code: string): Outcome[] => [
  { code, standing: standingOf(books), isUntouched: true },
];

/** A step of a case answers nobody: what counts is the standing that it leaves. */
export const reached = (standing: Standing): Outcome => ({ code: OK, standing });

/** Where a step may stop: at the end in fine weather, at any of its standings where something hits it. */
export const upTo = (standings: readonly Standing[], isHit: boolean): Outcome[] =>
  isHit ? standings.map(reached) : [reached(last(standings))];

/** Money of a QR code came in; `isOwn`: its own charge is the one that waits (docs/product/payments.md#receipts-and-surplus). */
function receive(standing: Standing, { amount, isOwn }: { amount: number; isOwn: boolean }): Standing {
  if (standing.unsettled === 'processing') return { ...standing, undecided: standing.undecided + amount };
  if (!isPayable(standing)) return { ...standing, surplusReturning: standing.surplusReturning + amount };
  const charges = isOwn ? standing.charges : standing.charges + 1;
  return { ...standing, invoice: 'paid', settledBy: 'pix', unsettled: 'none', charges };
}

type Money = Pick<Payment, 'amount' | 'isBooked'>;

/** The standings as one payment of a QR code after the other is booked: the first as it is, the last with all of them. */
export function settling(books: Books, qr: Qr, news: readonly Money[] = newsOf(books, qr.txid)): Standing[] {
  const standings = [standingOf(books)];
  let isOwn = unsettledOf(books)?.id === qr.intentId;
  for (const { amount, isBooked } of news) {
    const standing = standings.at(-1) ?? standingOf(books);
    // What is booked and undecided waits on.
    if (isBooked && standing.unsettled === 'processing') continue;
    standings.push(receive(standing, { amount, isOwn }));
    isOwn = false;
  }
  return standings;
}

/** What the bank will have settled of a QR code and we not decided on, once it settles what it only confirmed. */
export const newsAfter = (books: Books, txid: string, settlesConfirmed: boolean): readonly Payment[] =>
  settlesConfirmed
    ? books.payments.filter((payment) => payment.txid === txid && payment.intentId === null)
    : newsOf(books, txid);

export const last = <T>(list: readonly T[]): T => {
  const found = list.at(-1);
  if (found === undefined) throw new Error('an empty list has no last entry');
  return found;
};

/** Whether the bank tells of a payment, settled or confirmed, that we have not decided on. */
const hasNews = ({ payments }: Books, txid: string): boolean =>
  payments.some((payment) => payment.txid === txid && payment.intentId === null);

/** How a request ends for which the bank is asked about a QR code; `goesOn`: nobody can pay that any more, so it need not. */
export function clearing(
  books: Books,
  qr: Qr,
  { weather, asks, paid, silent }: { weather: Weather; asks: 'expirePix' | 'findPix'; paid: string; silent: Outcome },
): { readonly ends: Outcome[]; readonly goesOn: boolean } {
  const isPaid = asks === 'findPix' || qr.cob === 'CONCLUIDA' ? hasNews(books, qr.txid) : false;
  const ends = isPaid ? [{ code: paid, standing: last(settling(books, qr)) }] : [];
  const standing = standingOf(books);
  // Told that it is paid, and not by which payments: those are booked later.
  const untold = asks === 'expirePix' && qr.cob === 'CONCLUIDA' && meets(weather, 'findPix');
  return {
    ends: [
      ...ends,
      ...(meets(weather, asks) ? [silent] : []),
      ...(untold ? [{ code: paid, standing }] : []),
      ...(weather.isStorm ? settling(books, qr).map((each) => ({ code: CRASHED, standing: each })) : []),
    ],
    goesOn: !isPaid,
  };
}

/** The QR code of the unsettled charge while anybody might pay it. */
export function standingQr(books: Books): Qr | null {
  const unsettled = unsettledOf(books);
  return books.qrs.find(({ intentId, state }) => intentId === unsettled?.id && state !== 'ended') ?? null;
}

export const isConfirmed = ({ qrs }: Books): boolean => qrs.some(({ confirmedAt }) => confirmedAt !== null);

/** Why nothing may be charged for the invoice now; null when something may (docs/product/payments.md#checkout). */
export function whyNotChargeable(books: Books): string | null {
  if (!isPayable({ invoice: books.invoice.status })) return 'INVOICE_NOT_OPEN';
  if (isConfirmed(books)) return 'PIX_PAYMENT_CONFIRMED';
  return unsettledOf(books)?.status === 'processing' ? 'PAYMENT_IN_PROGRESS' : null;
}
