import { describe, expect, test } from 'vitest';
import { invoiceStatuses } from '../../../contract/invoices.ts';
import { paymentIntentStatuses } from '../../../contract/payments.ts';
import {
  decideReceipt,
  decideReturn,
  type IntentAction,
  isExpired,
  nextLookSeconds,
  nextStatus,
  type QrState,
  qrExpiresAt,
  qrUse,
  type ReturnFacts,
  returnRetrySeconds,
} from '../../../server/payments/rules.ts';

const actions: readonly IntentAction[] = [
  'send_to_acquirer',
  'settle',
  'decline',
  'discard',
  'schedule',
  'ask_return',
  'end_return_whole',
  'end_return_in_part',
  'revoke_return',
];

/** The table of docs/product/payments.md#moves-of-an-intent, written out once more. */
const moves: Record<string, string> = {
  'pending send_to_acquirer': 'processing',
  'pending settle': 'paid',
  'pending schedule': 'scheduled',
  'pending decline': 'failed',
  'scheduled settle': 'paid',
  'scheduled decline': 'failed',
  'scheduled discard': 'discarded',
  'failed schedule': 'scheduled',
  'processing settle': 'paid',
  'processing decline': 'failed',
  'failed send_to_acquirer': 'processing',
  'pending discard': 'discarded',
  'failed discard': 'discarded',
  'paid ask_return': 'refunding',
  'refunding ask_return': 'refunding',
  'refunding end_return_whole': 'refunded',
  'refunding end_return_in_part': 'paid',
  'paid end_return_whole': 'refunded',
  'paid revoke_return': 'paid',
  'refunding revoke_return': 'refunding',
  'refunded revoke_return': 'paid',
};

describe('a payment intent', () => {
  for (const status of paymentIntentStatuses) {
    for (const action of actions) {
      const next = moves[`${status} ${action}`];
      if (next === undefined) {
        test(`that is ${status} refuses to ${action}`, () => {
          expect(() => nextStatus({ id: 'pi_1', status }, action)).toThrow(`pi_1 is ${status}`);
        });
      } else {
        test(`that is ${status} becomes ${next} by ${action}`, () => {
          expect(nextStatus({ id: 'pi_1', status }, action)).toBe(next);
        });
      }
    }
  }
});

describe('a QR code', () => {
  test('lives as long as the account says, five minutes at least', () => {
    expect(qrExpiresAt(1_000, 86_400)).toBe(87_400);
    expect(qrExpiresAt(1_000, 300)).toBe(1_300);
    expect(qrExpiresAt(1_000, 1)).toBe(1_300);
  });

  test('ends at its very second', () => {
    expect(isExpired({ expiresAt: 100 }, 99)).toBe(false);
    expect(isExpired({ expiresAt: 100 }, 100)).toBe(true);
  });

  test('is used by its state and its end', () => {
    const uses = (now: number) =>
      (['creating', 'active', 'retiring', 'ended'] as const).map((state: QrState) =>
        qrUse({ state, expiresAt: 100 }, now),
      );
    expect(uses(99)).toEqual(['finish_creating', 'hand_out', 'ask_acquirer_first', 'replace']);
    expect(uses(100)).toEqual(['ask_acquirer_first', 'ask_acquirer_first', 'ask_acquirer_first', 'replace']);
    expect(qrUse(null, 0)).toBe('replace');
  });
});

describe('a receipt', () => {
  const whole = { isWhole: true, isInTime: true };

  test('settles its own charge while that waits and the invoice takes payment', () => {
    for (const invoice of ['open', 'uncollectible'] as const) {
      for (const own of ['pending', 'scheduled'] as const)
        expect(decideReceipt({ own, unsettled: own, invoice, ...whole })).toBe('settles_intent');
    }
  });

  test('of a charge that waits no more settles the invoice by a new one, whatever stands in the place of its own', () => {
    for (const invoice of ['open', 'uncollectible'] as const) {
      for (const unsettled of [null, 'pending', 'failed'] as const) {
        for (const own of paymentIntentStatuses.filter((status) => status !== 'pending' && status !== 'scheduled')) {
          expect(decideReceipt({ own, unsettled, invoice, ...whole })).toBe('settles_invoice');
        }
      }
    }
  });

  test('of an invoice that takes no payment is surplus, whatever its charge', () => {
    for (const invoice of invoiceStatuses.filter((status) => status !== 'open' && status !== 'uncollectible')) {
      for (const own of paymentIntentStatuses) {
        expect(decideReceipt({ own, unsettled: null, invoice, ...whole })).toBe('surplus');
      }
    }
  });

  test('waits while a charge of the invoice is at the acquirer, of whatever amount it is', () => {
    for (const own of paymentIntentStatuses) {
      for (const invoice of ['open', 'uncollectible'] as const) {
        for (const isWhole of [true, false]) {
          expect(decideReceipt({ own, unsettled: 'processing', invoice, isWhole, isInTime: true })).toBe('undecided');
        }
      }
    }
  });

  test('of another amount than the total pays nothing', () => {
    expect(decideReceipt({ own: 'pending', unsettled: 'pending', invoice: 'open', ...whole, isWhole: false })).toBe(
      'surplus',
    );
  });
});

describe('a return in the books of the bank', () => {
  const decide = (status: ReturnFacts['status'], ours: Partial<ReturnFacts> = {}) =>
    decideReturn({ status, part: null, funds: null, ...ours });

  test('that nobody asked for is a dispute once it is made', () => {
    expect(decide('completed')).toBe('dispute');
    expect([decide('processing'), decide('refused')]).toEqual(['nothing', 'nothing']);
  });

  test('that a refund asked for is the end of its part, or takes that end back', () => {
    const ends = (part: ReturnFacts['part']) =>
      (['processing', 'completed', 'refused'] as const).map((status) => decide(status, { part }));
    expect(ends('refunding')).toEqual(['nothing', 'look_at_refund', 'look_at_refund']);
    expect(ends('refunded')).toEqual(['nothing', 'nothing', 'revoke_refund']);
    expect(ends('failed')).toEqual(['nothing', 'contradiction', 'nothing']);
  });

  test('that is a dispute gives the money back when it is refused after all, and only once', () => {
    const ends = (funds: ReturnFacts['funds']) =>
      (['processing', 'completed', 'refused'] as const).map((status) => decide(status, { funds }));
    expect(ends('withdrawn')).toEqual(['nothing', 'nothing', 'reinstate']);
    expect(ends('reinstated')).toEqual(['nothing', 'nothing', 'nothing']);
  });
});

test('a refused return is asked again after an hour, then daily', () => {
  expect([1, 2, 3, 30].map(returnRetrySeconds)).toEqual([3_600, 86_400, 86_400, 86_400]);
});

test('what takes longer is looked at more rarely, once an hour at least', () => {
  expect([0, 4, 30, 600, 86_400].map((waited) => nextLookSeconds(waited))).toEqual([5, 1, 30, 600, 3_600]);
});
