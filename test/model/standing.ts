import type { InvoiceStatus } from '../../contract/invoices.ts';
import { type Books, paidOf, sum, unsettledOf } from './books.ts';

/** What a merchant could say of an invoice: the whole state of the model. All amounts are cents. */
export interface Standing {
  readonly invoice: InvoiceStatus;
  /** The charge that waits for its money; at most one. */
  readonly unsettled: 'none' | 'pending' | 'processing' | 'failed';
  readonly settledBy: 'nobody' | 'card' | 'pix';
  /** Charges ever made that are not surplus: a QR code handed out again is none. */
  readonly charges: number;
  /** Of the payment that settled it. */
  readonly refunded: number;
  readonly refunding: number;
  /** Payments beyond that one. */
  readonly surplusReturned: number;
  readonly surplusReturning: number;
  /** Money that came in while a charge is at the acquirer. */
  readonly undecided: number;
}

const amount = ({ amount: cents }: { amount: number }): number => cents;

export function standingOf(books: Books): Standing {
  const { invoice, intents, parts, payments } = books;
  const settling = paidOf(books).find(({ surplus }) => !surplus);
  const unsettled = unsettledOf(books)?.status;
  const returns = (status: 'refunding' | 'refunded', isSurplus: boolean): number =>
    sum(
      parts.filter((part) => part.status === status && (part.reason === 'surplus') === isSurplus),
      amount,
    );
  return {
    invoice: invoice.status,
    unsettled: unsettled === 'pending' || unsettled === 'processing' || unsettled === 'failed' ? unsettled : 'none',
    settledBy: settling?.method ?? 'nobody',
    charges: intents.filter(({ surplus }) => !surplus).length,
    refunded: returns('refunded', false),
    refunding: returns('refunding', false),
    surplusReturned: returns('refunded', true),
    surplusReturning: returns('refunding', true),
    undecided: sum(
      payments.filter(({ isBooked, intentId }) => isBooked && intentId === null),
      amount,
    ),
  };
}

export const isPayable = ({ invoice }: Pick<Standing, 'invoice'>): boolean =>
  invoice === 'open' || invoice === 'uncollectible';

/** Standings are told apart, and told to a reader, by what they say. */
export const tell = (standing: Standing): string =>
  Object.entries(standing)
    .filter(([, value]) => value !== 0 && value !== 'none' && value !== 'nobody')
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
