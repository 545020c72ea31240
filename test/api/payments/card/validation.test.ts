import { inspect } from 'node:util';
import { FaturaError, type InvoiceCheckout } from '@fatura/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../../support/api.ts';
import { byCard, cards } from '../../../support/cards.ts';
import { CPF, newCustomer, newInvoice, newPrice } from '../../../support/factories.ts';
import { withoutChance } from '../../../support/leaks.ts';
import { type RawAnswer, refusalOf, send } from '../../requests.ts';

let api: TestApi;
let merchant: Merchant;
let invoiceId: string;

let priceId: string;
let customerId: string;

beforeAll(async () => {
  api = await startApi();
  merchant = await api.newMerchant();
  priceId = (await newPrice(merchant, { card_installments_enabled: true, max_card_installments: 12 })).id;
  customerId = (await newCustomer(merchant)).id;
});
/** An invoice that the requests of a test leave open, whose price allows 12 installments: it takes ten declines. */
beforeEach(async () => {
  const lines = [{ price_id: priceId, quantity: 1 }];
  invoiceId = (await newInvoice(merchant, { customer_id: customerId, line_items: lines })).id;
});
afterAll(() => api.stop());

type Body = Record<string, unknown>;

/** A body that reaches the acquirer, and is declined there. */
const complete = (): Body => ({ ...byCard(cards.issuer_declined) });
const PASSED = '402 CARD_DECLINED';

/** The body with another value at a dotted path; undefined takes the field out. */
function withValue(path: string, value: unknown, body: Body = complete()): Body {
  const [step = '', ...rest] = path.split('.');
  const inner = (body[step] ?? {}) as Body; // the bodies of this file are objects of objects
  return { ...body, [step]: rest.length === 0 ? value : withValue(rest.join('.'), value, inner) };
}

const checkOut = (body: unknown): Promise<RawAnswer> =>
  send(api, { method: 'POST', path: `/invoices/${invoiceId}/checkout`, key: merchant.sandboxKey, body });

/** What is refused: each violation, or the code where the body is sound. */
async function verdictOn(body: unknown): Promise<string[]> {
  const { status, code, errors } = refusalOf(await checkOut(body));
  return errors === undefined ? [`${status} ${code}`] : errors.map((one) => `${one.param} ${one.code}`);
}

const text = (length: number): string => 'x'.repeat(length);
const shown = (value: unknown): string => {
  const json = JSON.stringify(value) ?? 'absent';
  return json.length > 24 ? `${json.slice(0, 12)}… (${json.length})` : json;
};

type Case = readonly [path: string, value: unknown, title: string];
const cases = (path: string, ...values: unknown[]): Case[] => values.map((value) => [path, value, shown(value)]);

describe('a value within its limits reaches the acquirer:', () => {
  test.each([
    ...cases('installments', undefined, 1, 12),
    ...cases('card.number', '4000000000000002', '4000 0000 0000 0002', '4000-0000-0000-0002', ' 4000000000000002\n'),
    ...cases('card.number', '400000 0000000002', '4000000000000000006'),
    ...cases('card.exp_month', 1, 12),
    ...cases('card.exp_year', 2099),
    ...cases('card.cvc', '000', ' 123 '),
    ...cases('billing_details.name', 'ANA', text(100), ` ${text(100)} `, '\u{1f99c}'.repeat(100)),
    ...cases('billing_details.document', CPF, ` ${CPF} `, '12345678909'),
    ...cases('billing_details.address', undefined, null, {}),
    ...cases('billing_details.address.street', text(200), '', null),
    ...cases('billing_details.address.number', text(20), '1500', ''),
    ...cases('billing_details.address.complement', text(100), ''),
    ...cases('billing_details.address.neighborhood', text(100)),
    ...cases('billing_details.address.city', text(100), 'São Paulo'),
    ...cases('billing_details.address.state', 'SP'),
    ...cases('billing_details.address.postal_code', '01304001', '01304-001'),
  ])('%s %3$s', async (path, value) => {
    expect(await verdictOn(withValue(path, value))).toEqual([PASSED]);
  });
});

describe('a value out of its limits is PARAMETER_INVALID:', () => {
  const noText = [null, 5, true, ['x'], { x: 1 }];
  test.each([
    ...cases('payment_method_type', 'boleto', 'CARD', '', null, 1, true, ['card'], { card: 1 }),
    ...cases('installments', 0, 13, -1, 1.5, '1', null, true, [1]),
    ...cases('card', null, 'card', 4000000000000002, [], true),
    ...cases('card.number', '400000000000', '4000 0000 0000  0002', '4000--0000--0000--0002', '40000000000000000002'),
    ...cases(
      'card.number',
      '4000.0000.0000.0002',
      '4000\t0000\t0000\t0002',
      '4OOO000000000002',
      '４０００000000000002',
    ),
    ...cases('card.number', '4000000000000001', '4222222222222', '400000000000000', '', '-------------', ...noText),
    ...cases('card.exp_month', 0, 13, -1, 1.5, '12', null),
    ...cases('card.exp_year', 2023, 2100, 30, 2030.5, '2030', null),
    ...cases('card.cvc', '12', '1234', '12345', '12a', '1 2', '', ...noText, '１２３'),
    ...cases('billing_details', null, 'MARIA', [], 1),
    ...cases(
      'billing_details.name',
      'AB',
      ' AB ',
      text(101),
      '\u{1f99c}'.repeat(101),
      '',
      'MAR\0IA',
      '\ud83dABC',
      ...noText,
    ),
    ...cases('billing_details.document', '5299822472', '529982247255', '529.982.247-25', '00000000000191', ''),
    ...cases('billing_details.document', '52998224726', '52998224735', '11111111111', 52998224725, ...noText),
    ...cases('billing_details.address', 'Rua Augusta', [], 1),
    ...cases('billing_details.address.street', text(201), 'a\0', 5),
    ...cases('billing_details.address.number', text(21), 1500),
    ...cases('billing_details.address.complement', text(101), 5),
    ...cases('billing_details.address.neighborhood', text(101), 5),
    ...cases('billing_details.address.city', text(101), 5),
    ...cases('billing_details.address.state', 'sp', 'XX', 'S', 'SPX', 'S1', '', 'ÃP', 5),
    ...cases(
      'billing_details.address.postal_code',
      '0130400',
      '013040011',
      '01304 001',
      '01304--001',
      'ABCDE-FGH',
      '',
      5,
    ),
  ])('%s %3$s', async (path, value) => {
    expect(await verdictOn(withValue(path, value))).toEqual([`${path} PARAMETER_INVALID`]);
  });
});

describe('a field that is required is PARAMETER_MISSING when absent:', () => {
  test.each([
    'payment_method_type',
    'card',
    'card.number',
    'card.exp_month',
    'card.exp_year',
    'card.cvc',
    'billing_details',
    'billing_details.name',
    'billing_details.document',
  ])('%s', async (path) => {
    expect(await verdictOn(withValue(path, undefined))).toEqual([`${path} PARAMETER_MISSING`]);
  });

  test('all of them together', async () => {
    expect(await verdictOn({})).toEqual(['payment_method_type PARAMETER_MISSING']);
    expect(await verdictOn({ payment_method_type: 'card', card: {}, billing_details: {} })).toEqual([
      'card.number PARAMETER_MISSING',
      'card.exp_month PARAMETER_MISSING',
      'card.exp_year PARAMETER_MISSING',
      'card.cvc PARAMETER_MISSING',
      'billing_details.name PARAMETER_MISSING',
      'billing_details.document PARAMETER_MISSING',
    ]);
  });
});

describe('a field that no rule names is PARAMETER_UNKNOWN:', () => {
  test.each(['surprise', 'card.brand', 'billing_details.email', 'billing_details.address.country'])(
    '%s',
    async (path) => {
      expect(await verdictOn(withValue(path, 'x'))).toEqual([`${path} PARAMETER_UNKNOWN`]);
    },
  );

  test('and so are a card and its holder beside PIX, whatever is in them', async () => {
    const pix = { payment_method_type: 'pix' };
    const { card, billing_details } = complete();
    expect(await verdictOn({ ...pix, card })).toEqual(['card PARAMETER_UNKNOWN']);
    expect(await verdictOn({ ...pix, card: { number: '4000000000000001' } })).toEqual(['card PARAMETER_UNKNOWN']);
    expect(await verdictOn({ ...pix, card, billing_details })).toEqual([
      'card PARAMETER_UNKNOWN',
      'billing_details PARAMETER_UNKNOWN',
    ]);
  });
});

describe('the CVC has as many digits as the brand gives it:', () => {
  test.each([
    ['visa', '4000 0000 0000 0002', 3],
    ['mastercard', '5105 1051 0510 5100', 3],
    ['elo', '6362 9700 0045 7013', 3],
    ['hipercard', '6062 8267 8627 6634', 3],
    ['amex', '3714 496353 98431', 4],
  ])('%s', async (_, number, length) => {
    const verdicts = (code: string) => verdictOn(withValue('card.cvc', code, withValue('card.number', number)));
    expect(await verdicts('1234'.slice(0, length))).toEqual([PASSED]);
    expect(await verdicts('1234'.slice(0, 7 - length))).toEqual(['card.cvc PARAMETER_INVALID']);
  });
});

describe('what has its form and is refused all the same is a 422:', () => {
  test.each([
    ['Discover', '6011 1111 1111 1117', '123'],
    ['Diners Club', '3056 930902 5904', '123'],
    ['JCB', '3530 1113 3330 0000', '1234'],
    ['Maestro', '6759 6498 2643 8453', '123'],
  ])('a card of %s', async (_, number, cvc) => {
    const body = withValue('card.cvc', cvc, withValue('card.number', number));
    expect(await verdictOn(body)).toEqual(['422 CARD_BRAND_NOT_SUPPORTED']);
  });

  test('a card of a year that is over', async () => {
    expect(await verdictOn(withValue('card.exp_year', 2024))).toEqual(['422 CARD_EXPIRED']);
  });
});

test('the forms of payment are named to who sends none of them', async () => {
  const { message } = refusalOf(await checkOut(withValue('payment_method_type', 'boleto')));
  expect(message).toBe('payment_method_type must be one of pix, card, pix_automatico, got "boleto"');
});

test('PIX is paid in one, and takes 1 to 12 installments all the same', async () => {
  for (const installments of [0, 13]) {
    expect(await verdictOn({ payment_method_type: 'pix', installments })).toEqual(['installments PARAMETER_INVALID']);
  }
  const { id } = await newInvoice(merchant);
  const { payment_intent } = await merchant.fatura.invoices.checkout(id, {
    payment_method_type: 'pix',
    installments: 12,
  });
  expect(await merchant.fatura.paymentIntents.retrieve(payment_intent ?? '')).toMatchObject({ installments: 1 });
});

/** Wrong in every field that has a rule. */
const wrong = (): Body => ({
  payment_method_type: 'card',
  installments: 13,
  card: { number: '4242 4242 4242 4241', exp_month: 13, exp_year: 2023, cvc: '7391', holder: 'MARIA' },
  billing_details: { document: '52998224726', address: { state: 'sp' } },
  surprise: 1,
});

test('every fault of a body is told in one answer, the first of them in param and code', async () => {
  const answer = await checkOut(wrong());
  expect(await verdictOn(wrong())).toEqual([
    'installments PARAMETER_INVALID',
    'card.exp_month PARAMETER_INVALID',
    'card.exp_year PARAMETER_INVALID',
    'card.holder PARAMETER_UNKNOWN',
    'billing_details.name PARAMETER_MISSING',
    'billing_details.address.state PARAMETER_INVALID',
    'surprise PARAMETER_UNKNOWN',
    'card.number PARAMETER_INVALID',
    'card.cvc PARAMETER_INVALID',
    'billing_details.document PARAMETER_INVALID',
  ]);
  expect(refusalOf(answer)).toMatchObject({
    status: 400,
    type: 'invalid_request_error',
    code: 'PARAMETER_INVALID',
    param: 'installments',
    message: 'installments must be at most 12, got 13',
  });
});

test('the client tells them as its error does', async () => {
  const error = await merchant.fatura.invoices
    .checkout(invoiceId, wrong() as unknown as InvoiceCheckout) // wrong for the types too
    .catch((reason: unknown) => reason);
  if (!(error instanceof FaturaError)) throw new Error('expected a FaturaError', { cause: error });
  expect(error).toMatchObject({ status: 400, code: 'PARAMETER_INVALID', param: 'installments', declineReason: null });
  const told = refusalOf(await checkOut(wrong())).errors ?? [];
  expect(error.errors).toEqual(told.map((violation) => ({ ...violation, wireParam: violation.param })));
  expect(withoutChance(inspect(error))).not.toMatch(/4242|7391|52998224726/);
});

describe('no answer repeats a card or a CPF:', () => {
  const SECRETS = /4242[ -]?4242|7391|529\.?982\.?247|MARIA/;
  const secret = { number: '4242 4242 4242 4241', cvc: '7391', document: '529.982.247-26', name: 'MARIA' };
  test.each([
    ['in the fields they belong to', wrong()],
    ['in the forms of other types', { ...complete(), card: secret.number, billing_details: secret.name }],
    ['in lists', { ...complete(), card: [secret.number, secret.cvc], billing_details: [secret.document] }],
    ['in each other’s places', { ...complete(), card: { ...secret, number: secret.cvc, cvc: secret.number } }],
    ['in place of the method', { payment_method_type: secret.number }],
    ['in an address', withValue('billing_details.address.state', secret.document)],
    ['as names of fields', { ...complete(), [secret.number]: 1, [secret.document]: 2, '4242424242424241': 3 }],
    ['as names of fields of the card', { ...complete(), card: { '4242-4242-4242-4241': { cvc: secret.cvc } } }],
    ['in a body that is no object', JSON.stringify(secret.number)],
    ['in a body that is no JSON', `{"number": ${secret.number}}`],
  ])('%s', async (_, body) => {
    const answer = await checkOut(body);
    expect(answer.status).toBe(400);
    expect(withoutChance(JSON.stringify(answer.body))).not.toMatch(SECRETS);
  });
});

test('nothing that was refused here left a charge behind, and what was declined left its invoice open', async () => {
  const of = { customer_id: customerId, limit: 100 };
  const invoices = await merchant.fatura.invoices.list(of).all({ max: 500 });
  expect(new Set(invoices.map(({ status, amount_paid: paid }) => `${status} ${paid}`))).toEqual(new Set(['open 0']));
  const intents = await merchant.fatura.paymentIntents.list(of).all({ max: 500 });
  expect(new Set(intents.map(({ status }) => status))).toEqual(new Set(['failed']));
});
