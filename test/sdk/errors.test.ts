import { Fatura, FaturaError, isFaturaError } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { API_KEY, fakeService, type Reply, refusal } from './fake-service.ts';

async function failureOf(reply: Reply): Promise<FaturaError> {
  const service = await fakeService(reply);
  const error = await service
    .client({ retries: 0 })
    .invoices.checkout('in_1', { payment_method_type: 'pix' })
    .catch((reason: unknown) => reason);
  if (!(error instanceof FaturaError)) throw new Error('expected a FaturaError', { cause: error });
  return error;
}

describe('a refusal of the API', () => {
  test('tells all that its body says', async () => {
    const errors = [
      { param: 'card.exp_month', code: 'PARAMETER_INVALID', message: 'card.exp_month must be at most 12' },
      { param: 'card.cvc', code: 'PARAMETER_MISSING', message: 'card.cvc is required' },
    ];
    const details = {
      type: 'invalid_request_error',
      param: 'card.exp_month',
      message: 'card.exp_month must be at most 12',
      errors,
    };
    const error = await failureOf(refusal(400, 'PARAMETER_INVALID', details));
    expect(error).toBeInstanceOf(Error);
    expect({ ...error, message: error.message }).toEqual({
      name: 'FaturaError',
      message: 'card.exp_month must be at most 12',
      status: 400,
      code: 'PARAMETER_INVALID',
      type: 'invalid_request_error',
      requestId: 'req_2',
      param: 'card.exp_month',
      wireParam: 'card.exp_month',
      declineReason: null,
      paymentIntent: null,
      errors: errors.map((violation) => ({ ...violation, wireParam: violation.param })),
      docUrl: 'http://127.0.0.1:3000/docs#PARAMETER_INVALID',
      idempotencyKey: expect.any(String),
      retryAfterSeconds: 0,
    });
  });

  test('regression-95-names the parameter as it was given, and as the service names it within its envelope', async () => {
    const violation = (param: string | null) => ({ param, code: 'PARAMETER_INVALID', message: 'must be another' });
    const wire = ['invoice.customer.email', 'invoice.line_items[0].quantity', 'invoices', null];
    const details = { param: 'invoice.customer.email', errors: wire.map(violation) };
    const service = await fakeService(refusal(400, 'PARAMETER_INVALID', details));
    const failed = service.client().invoices.create({ customer_id: 'cus_1', line_items: [] });
    await expect(failed).rejects.toMatchObject({
      param: 'customer.email',
      wireParam: 'invoice.customer.email',
      errors: [
        { ...violation('customer.email'), wireParam: 'invoice.customer.email' },
        { ...violation('line_items[0].quantity'), wireParam: 'invoice.line_items[0].quantity' },
        { ...violation('invoices'), wireParam: 'invoices' },
        { ...violation(null), wireParam: null },
      ],
    });
  });

  test('tells why a card was declined', async () => {
    const details = { type: 'card_error', decline_reason: 'insufficient_funds' };
    const error = await failureOf(refusal(402, 'CARD_DECLINED', details));
    expect(error).toMatchObject({
      status: 402,
      code: 'CARD_DECLINED',
      type: 'card_error',
      declineReason: 'insufficient_funds',
    });
  });

  test('has no violations where the body lists none', async () => {
    expect((await failureOf(refusal(404, 'RESOURCE_MISSING'))).errors).toEqual([]);
  });

  test('passes a code that this version does not know', async () => {
    expect((await failureOf(refusal(409, 'A_LATER_CODE'))).code).toBe('A_LATER_CODE');
  });
});

describe('an answer that is not one of the API', () => {
  test.each<[string, Reply]>([
    ["a proxy's page", { status: 502, raw: '<html>Bad gateway</html>' }],
    ['JSON of another make', { status: 502, body: { error: 'no' } }],
    ['null', { status: 502, raw: 'null' }],
    ['nothing', { status: 502, raw: '' }],
  ])('is RESPONSE_INVALID with its status: %s', async (_, reply) => {
    const error = await failureOf(reply);
    expect(error).toMatchObject({ code: 'RESPONSE_INVALID', type: 'client_error', status: 502, requestId: 'req_1' });
    expect(error.message).toContain('502');
  });

  test('is RESPONSE_INVALID even when its status means success', async () => {
    expect(await failureOf({ status: 200, raw: '<html>Log in</html>' })).toMatchObject({
      code: 'RESPONSE_INVALID',
      status: 200,
    });
  });
});

test('a service that cannot be reached is CONNECTION_FAILED, with the cause', async () => {
  const fatura = new Fatura({ apiKey: API_KEY, baseUrl: 'http://127.0.0.1:1', retries: 0 });
  const error = await fatura.customers
    .list({ email: 'maria@example.com' })
    .page()
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'CONNECTION_FAILED', type: 'client_error', status: null, requestId: null });
  expect(error).toHaveProperty('message', 'GET http://127.0.0.1:1/api/v1/customers got no answer');
  expect(error).toHaveProperty('cause');
});

describe('isFaturaError', () => {
  const declined = new FaturaError({ message: 'no', code: 'CARD_DECLINED', type: 'card_error', status: 402 });

  test('tells an error of the client from others, and its code from other codes', () => {
    expect(isFaturaError(declined)).toBe(true);
    expect(isFaturaError(declined, 'CARD_DECLINED')).toBe(true);
    expect(isFaturaError(declined, 'CARD_EXPIRED', 'CARD_DECLINED')).toBe(true);
    expect(isFaturaError(declined, 'CARD_EXPIRED', 'TIMEOUT')).toBe(false);
    expect(isFaturaError(new (class extends FaturaError {})({ ...declined, message: 'no' }), 'CARD_DECLINED')).toBe(
      true,
    );
    const others = [null, undefined, 'CARD_DECLINED', new Error('no'), { ...declined }, { code: 'CARD_DECLINED' }];
    expect(others.filter((other) => isFaturaError(other))).toEqual([]);
  });

  test('knows the errors of another copy of the client, which instanceof does not', async () => {
    const copy: typeof import('../../sdk/src/errors.ts') = await import(`${'../../sdk/src/errors.ts'}?another`);
    const theirs = new copy.FaturaError({ message: 'no', code: 'CARD_DECLINED', type: 'card_error' });
    expect(theirs).not.toBeInstanceOf(FaturaError);
    expect(isFaturaError(theirs, 'CARD_DECLINED')).toBe(true);
    expect(copy.isFaturaError(declined, 'CARD_DECLINED')).toBe(true);
  });
});
