import { describe, expect, test } from 'vitest';
import { exampleId } from '../../../../contract/kernel.ts';
import { CallKeys } from '../../../../sdk/src/cli/mcp/keys.ts';
import { INVOICE, PAYMENT, refusal, startSession } from './scripted.ts';

const done = [201, { object: 'refund', amount: 10_000 }] as const;
const unknown = refusal(504, 'ACQUIRER_TIMEOUT');
/** The payment of R$ 200,00, of which some was returned. */
const paymentOf = (amount_refunded: number) => ({
  [`/payment_intents/${PAYMENT}`]: {
    id: PAYMENT,
    invoice: INVOICE,
    amount: 20_000,
    amount_refunded,
    amount_disputed: 0,
  },
  ...(amount_refunded === 0 ? {} : { [`/refunds/${PAYMENT}`]: { amount: amount_refunded } }),
});
const refund = { payment_intent: PAYMENT, amount: 10_000 };

describe('a call of unknown outcome', () => {
  test('regression-155-is not forgotten for others that were carried out since', () => {
    const keys = new CallKeys();
    const send = (digest: string) =>
      keys.send({ digest, preview: { words: '', amount: 0 }, args: {}, giveBack: () => {} });
    const { key } = send('refund');
    for (let count = 0; count < 2_000; count += 1) keys.settle(send(`creation ${count}`), 'done', 0);
    expect(keys.openOf('refund')?.key).toBe(key);
    expect([keys.doneOf('creation 0', 0), keys.doneOf('creation 1999', 0)]).toEqual([null, expect.anything()]);
  });

  test.each([
    ['429', refusal(429, 'RATE_LIMITED')],
    ['401', refusal(401, 'API_KEY_INVALID')],
    ['403', refusal(403, 'PERMISSION_DENIED')],
    ['422', refusal(422, 'REFUND_EXCEEDS_BALANCE')],
  ])('regression-143-keeps its key when a repeat is refused by %s', async (_, refused) => {
    const { writes, confirm } = startSession({ answers: [unknown, refused, done] });
    for (let call = 0; call < 3; call += 1) await confirm('refunds_create', refund);
    expect(writes).toHaveLength(3);
    expect(new Set(writes.map(({ key }) => key)).size).toBe(1);
  });

  test('regression-144-is repeated as it was sent, whatever is left by then', async () => {
    let refunded = 0;
    const reads = () => paymentOf(refunded);
    const { writes, call, confirm } = startSession({ answers: [unknown, done], reads });
    await confirm('refunds_create', { payment_intent: PAYMENT });
    refunded = 5_000;
    const { confirmation_needed } = await call('refunds_create', { payment_intent: PAYMENT });
    expect(confirmation_needed).toMatch(/^Once more, as nobody knows yet .* do it once: Return R\$ 200,00 /);
    expect(await confirm('refunds_create', { payment_intent: PAYMENT })).toMatchObject({ object: 'refund' });
    expect(writes[1]).toEqual(writes[0]);
    expect(writes[0]?.body.refund.amount).toBe(20_000);
  });

  test.each([
    ['CARD_DECLINED', 402],
    ['REFUND_REFUSED', 422],
  ])('is settled by %s, which gives its amount back', async (code, status) => {
    const { session, writes, confirm } = startSession({ answers: [unknown, refusal(status, code), done] });
    await confirm('refunds_create', refund);
    await confirm('refunds_create', refund);
    expect(session.limits).toContain('R$ 1.000,00');
    await confirm('refunds_create', refund);
    expect(new Set(writes.map(({ key }) => key)).size).toBe(2);
  });

  test.each([
    ['a page of a gateway', [403, '<html>Forbidden</html>'] as const],
    ['408', [408, 'Request Timeout'] as const],
    ['a connection that broke', new TypeError('fetch failed')],
  ])('regression-145-is one after %s too', async (_, answer) => {
    const { session, writes, confirm } = startSession({ answers: [answer, done] });
    await confirm('refunds_create', refund);
    expect(session.limits).toContain('R$ 900,00');
    await confirm('refunds_create', refund);
    expect(writes[1]).toEqual(writes[0]);
    expect(session.limits).toContain('R$ 900,00');
  });
});

test('regression-146-two calls in flight at once do not pass the limit', async () => {
  const yes: (() => void)[] = [];
  const ask = () => new Promise<boolean>((resolve) => yes.push(() => resolve(true)));
  const { writes, call } = startSession({ answers: [unknown, done], ask, maxAmount: 10_000 });
  const calls = [call('refunds_create', refund), call('refunds_create', refund)];
  await expect.poll(() => yes.length).toBe(2);
  for (const say of yes) say();
  await Promise.all(calls);
  expect(writes[1]).toEqual(writes[0]);

  const { writes: others, call: other } = startSession({ answers: [done], ask, maxAmount: 10_000 });
  const first = other('refunds_create', refund);
  const second = other('refunds_create', { ...refund, reason: 'duplicate' });
  await expect.poll(() => yes.length).toBe(4);
  yes[2]?.();
  await first;
  yes[3]?.();
  expect(await second).toMatchObject({ error: { code: 'MAX_AMOUNT' } });
  expect(others).toHaveLength(1);
});

test('regression-147-a refusal does not part two calls that are in flight under one key', async () => {
  const slow = Promise.withResolvers<readonly [number, unknown]>();
  const { writes, call } = startSession({ answers: [slow.promise, refusal(429, 'RATE_LIMITED'), done] });
  const first = call('products_create', { name: 'Ouro' });
  expect(await call('products_create', { name: 'Ouro' })).toMatchObject({ error: { code: 'RATE_LIMITED' } });
  await call('products_create', { name: 'Ouro' });
  slow.resolve(done);
  await first;
  await call('products_create', { name: 'Ouro' });
  expect(writes).toHaveLength(4);
  expect(new Set(writes.map(({ key }) => key)).size).toBe(1);
});

test.each([
  ['products_update', { id: exampleId('prod'), active: false }],
  ['prices_update', { id: exampleId('price'), active: false }],
  ['webhook_endpoints_enable', { id: exampleId('we') }],
  ['webhook_endpoints_test', { id: exampleId('we') }],
])('regression-148-%s acts anew once it was carried out, and is repeated while that is unknown', async (name, args) => {
  const { writes, call } = startSession({ answers: [refusal(503, 'INTERNAL_ERROR'), done] });
  for (let count = 0; count < 3; count += 1) await call(name, args);
  const [first, repeat, anew] = writes.map(({ key }) => key);
  expect(repeat).toBe(first);
  expect(anew).not.toBe(first);
});

test('regression-149-a yes that was given late is looked at again', async () => {
  let refunded = 0;
  const reads = () => paymentOf(refunded);
  const ask = async () => {
    refunded = 5_000;
    return true;
  };
  const { writes, call } = startSession({ answers: [done], reads, ask });
  expect(await call('refunds_create', refund)).toMatchObject({ error: { code: 'CONFIRMATION_MISMATCH' } });
  expect(writes).toEqual([]);
});

test('regression-150-an idempotency_key is sent as one of its own tool and arguments, in other sessions too', async () => {
  const keys = [];
  for (const name of ['Ouro', 'Ouro', 'Prata']) {
    const { writes, call } = startSession({ answers: [done] });
    await call('products_create', { name, idempotency_key: 'first' });
    keys.push(writes[0]?.key);
    expect(writes[0]?.body.product).toEqual({ name });
  }
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
});
