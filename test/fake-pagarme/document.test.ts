import { expect, test } from 'vitest';
import { z } from 'zod';
import { CancelForm, CardForm, CustomerForm, OrderForm, TokenForm } from '../../dev/fake-pagarme/forms.ts';
import { unknownFields } from './sdk-models.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** A body with every field that a form takes. */
function whole({ properties, items, anyOf }: Schema): unknown {
  if (anyOf !== undefined) return Object.assign({}, ...anyOf.map(whole));
  if (items !== undefined) return [whole(items)];
  if (properties === undefined) return '';
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, whole(schema)]));
}

/** What the fake takes and the model of the SDK does not name. */
const beside = (form: z.ZodType, model: string): string[] =>
  unknownFields(model, whole(z.toJSONSchema(form, { unrepresentable: 'any' }) as Schema)); // of one draft

test.each([
  ['a customer', CustomerForm, 'createCustomerRequest', []],
  ['a card', CardForm, 'createCardRequest', []],
  ['a token', TokenForm, 'createTokenRequest', []],
  [
    'an order',
    OrderForm,
    'createOrderRequest',
    ['payments.credit_card.metadata', 'payments.credit_card.recurrence_cycle'],
  ],
  ['a cancellation', CancelForm, 'createCancelChargeRequest', []],
])('%s has no field that the SDK does not name, but for those of a page', (_, form, model, ofPages) => {
  expect(beside(form, model).toSorted()).toEqual(ofPages);
});

test('a form is looked at whole', () => {
  const order = whole(z.toJSONSchema(OrderForm, { unrepresentable: 'any' }) as Schema);
  expect(order).toMatchObject({
    payments: [{ credit_card: { payment_origin: { charge_id: '' } } }],
    items: [{ amount: '' }],
  });
});
