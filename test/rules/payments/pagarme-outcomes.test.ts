import { describe, expect, test } from 'vitest';
import { meaningOf } from '../../../server/payments/acquirer/pagarme/abecs.ts';
import { outcomeOfCharge } from '../../../server/payments/acquirer/pagarme/charges.ts';
import { readCharge, readHook } from '../../../server/payments/acquirer/pagarme/reading.ts';

const charge = (status: string, more: object = {}) => {
  const read = readCharge({ id: 'ch_1', code: 'ca_1', amount: 1_990, status, ...more });
  if (read === null) throw new Error('a charge');
  return outcomeOfCharge(read);
};

const approved = { status: 'approved', origin: 'ch_1' };

/** As a foreign simulator and recorded answers of its predecessor have them, beside the fake's own. */
describe('what a charge of Pagar.me means', () => {
  test.each(['paid', 'overpaid', 'underpaid', 'chargedback', 'refunded', 'partial_canceled'])(
    '%s is approved',
    (status) => {
      expect(charge(status)).toEqual(approved);
    },
  );

  test('a charge that was paid once is approved, whatever became of it', () => {
    expect(charge('canceled', { paid_at: '2026-11-27T12:00:00Z', canceled_amount: 1_990 })).toEqual(approved);
  });

  test.each(['pending', 'processing', 'authorized_pending_capture', 'waiting_capture', 'a_new_word'])(
    '%s ends nothing',
    (status) => {
      expect(charge(status, { last_transaction: { acquirer_return_code: '00' } })).toEqual({ status: 'processing' });
    },
  );

  test.each([
    ['failed', { status: 'not_authorized', acquirer_return_code: '57' }, 'issuer_declined', false],
    ['failed', { status: 'not_authorized', acquirer_return_code: '51' }, 'insufficient_funds', true],
    ['failed', { status: 'with_error', acquirer_return_code: '99' }, 'processing_error', true],
    ['failed', { status: 'not_authorized', antifraud_response: { status: 'reproved' } }, 'suspected_fraud', true],
    [
      'failed',
      { status: 'not_authorized', acquirer_return_code: '101', card: { brand: 'Amex' } },
      'expired_card',
      false,
    ],
    ['failed', null, 'processing_error', true],
    ['canceled', null, 'processing_error', true],
  ])('%s with %j is declined: %s', (status, last_transaction, reason, isReversible) => {
    expect(charge(status, { last_transaction })).toMatchObject({ status: 'declined', reason, isReversible });
  });
});

test.each([
  ['visa', '5', 'issuer_declined', true],
  ['visa', '005', 'issuer_declined', true],
  ['mastercard', '63', 'suspected_fraud', false],
  ['elo', '63', 'invalid_card_data', false],
  ['elo', '04', 'issuer_declined', true],
  ['visa', 'n7', 'invalid_card_data', false],
  ['amex', '116', 'insufficient_funds', true],
  ['amex', '51', 'issuer_declined', true],
  ['hipercard', '54', 'expired_card', false],
  [null, '999', 'issuer_declined', true],
] as const)('a code of ABECS on a card of %s: %s', (brand, code, reason, isReversible) => {
  expect(meaningOf(brand, code)).toEqual({ reason, isReversible });
});

test.each([
  [
    { type: 'charge.paid', data: { id: 'ch_1', code: 'ca_1' } },
    { about: 'charge', reference: 'ca_1' },
  ],
  [
    { type: 'charge.paid', data: { id: 'ch_1', code: 'x', order: { code: 'ca_1' } } },
    { about: 'charge', reference: 'ca_1' },
  ],
  [
    { type: 'card.updated', data: { id: 'card_1', customer: { id: 'cus_1' } } },
    { about: 'card', token: 'cus_1/card_1' },
  ],
  [{ type: 'order.paid', data: { id: 'or_1', code: 'ca_1' } }, { about: 'other' }],
  [{ type: 7 }, null],
  [null, null],
])('a webhook %j', (hook, about) => {
  expect(readHook(hook)).toEqual(about);
});
