import { afterAll, beforeAll, expect, test } from 'vitest';
import { takenCard } from '../../../server/payments/acquirer/conformance.ts';
import { fieldsOf, unknownFields } from '../../fake-pagarme/sdk-models.ts';
import { chargeOf, refundOf } from '../sandbox/sandbox-bank.ts';
import { type OpenPagarme, openFakePagarme } from './pagarme.ts';

/** What the adapter sends, by the model of the SDK that declares it. */
const models: Readonly<Record<string, string>> = {
  createCustomer: 'createCustomerRequest',
  createCard: 'createCardRequest',
  createOrder: 'createOrderRequest',
  cancelCharge: 'createCancelChargeRequest',
};

/** What the SDK calls otherwise than the pages of the documentation, with the page that has it. */
const ofPages: Readonly<Record<string, string>> = {
  'payments.credit_card.recurrence_cycle': 'docs.pagar.me/reference/cartão-de-crédito-1',
};

let opened: OpenPagarme;
beforeAll(async () => {
  opened = await openFakePagarme('token');
});
afterAll(() => opened.close());

test('every field that the adapter sends is in the published documents', async () => {
  const { subject, requestOf, merchantOf } = opened;
  const { acquirer } = subject;
  const merchant = await subject.newMerchant();
  const address = {
    street: 'Rua Augusta',
    number: '1500',
    complement: 'Apto 12',
    neighborhood: 'Consolação',
    city: 'São Paulo',
    state: 'SP',
    postalCode: '01304-001',
  };
  const asked = { ...(await requestOf(merchant, '4000000000000010')), address };
  const { token } = await takenCard(acquirer.verifyCard(merchant, asked));
  const first = chargeOf(token, { installments: 3, series: { origin: null, isRetry: false } });
  const paid = await acquirer.chargeCard(merchant, first);
  if (!paid.known || paid.value.status !== 'approved') throw new Error('the charge is approved');
  const series = { origin: paid.value.origin ?? null, isRetry: true };
  await acquirer.chargeCard(merchant, chargeOf(token, { initiator: 'merchant', series }));
  await acquirer.refundCard(merchant, refundOf(first.reference));
  const { requests } = merchantOf(merchant);
  expect(new Set(requests.map(({ operation }) => operation))).toEqual(new Set(Object.keys(models)));
  const unknown = requests.flatMap(({ operation, body }) => unknownFields(models[operation] ?? '', body));
  expect(new Set(unknown)).toEqual(new Set(Object.keys(ofPages)));
});

test('the models are read as they are declared', () => {
  expect([...fieldsOf('createCancelChargeRequest').keys()]).toContain('operation_reference');
  expect(fieldsOf('createCreditCardPaymentRequest').get('payment_origin')).toEqual({
    model: 'createPaymentOriginRequest',
  });
  expect(unknownFields('createOrderRequest', { code: 'x', payments: [{ credit_card: { cvv: '1' } }] })).toEqual([
    'payments.credit_card.cvv',
  ]);
});
