import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contract } from '../../contract/index.ts';
import { freshOperations, may, type OperationName, type Role, roleNames } from '../../contract/roles.ts';
import { routesOf } from '../../contract/router.ts';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { newInvoice } from '../support/factories.ts';
import { type Answer, type Browser, newPerson } from '../support/people.ts';

let api: TestApi;
let shop: Merchant;
const people = new Map<Role, Browser>();
beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  for (const role of roleNames) people.set(role, await newPerson(api, { accountId: shop.accountId, role }));
});
afterAll(() => api.stop());

const personOf = (role: Role): Browser => {
  const person = people.get(role);
  if (person === undefined) throw new Error(`nobody is ${role}`);
  return person;
};

/** Asks for an operation with an id of nothing and a body of nothing: whoever may is told that, and whoever may not is told so first. */
const askFor = (person: Browser, { method, path }: { method: string; path: string }): Promise<Answer> =>
  person.ask(
    method,
    path.replaceAll(/:\w+/g, 'x_01kaj4w2n8e9r7t5v3x1z0q6d4'),
    method === 'GET' ? undefined : { nothing_of_the_kind: true },
  );

const codeOf = ({ body }: Answer): string | undefined => body?.error?.code;

describe.each(roleNames)('%s', (role) => {
  test('has the operations of the table, and no others', async () => {
    const wrong: string[] = [];
    for (const [name, route] of routesOf(contract)) {
      // It waits for what comes.
      if (name === 'events.feed') continue;
      const code = codeOf(await askFor(personOf(role), route));
      const isRefused = code === 'PERMISSION_DENIED';
      // The names of the routes of the contract are its operations.
      if (isRefused === may(role, name as OperationName)) wrong.push(`${name}: ${code}`);
    }
    expect(wrong).toEqual([]);
  });
});

test('what opens or closes a door asks for a login of the last ten minutes', async () => {
  const person = await newPerson(api, { accountId: shop.accountId, role: 'owner' });
  await api.composition.database.pool.query(
    "UPDATE staff_session SET fresh_at = now() - interval '11 minutes' WHERE staff_id = (SELECT id FROM staff WHERE email = $1)",
    [person.email],
  );
  // What was read a moment ago is forgotten within a second.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const asked: string[] = [];
  for (const [name, route] of routesOf(contract)) {
    if (name === 'events.feed') continue;
    if (codeOf(await askFor(person, route)) === 'FRESH_LOGIN_REQUIRED') asked.push(name);
  }
  expect(asked.toSorted()).toEqual(freshOperations.toSorted());
});

describe('a refund', () => {
  const paid = async (): Promise<string> => {
    const { id } = await newInvoice(shop, { amount: 150_000 });
    const { payment_intent: intent } = await shop.fatura.invoices.checkout(id, { payment_method_type: 'pix' });
    if (intent === null) throw new Error('the checkout made no payment intent');
    await shop.fatura.testHelpers.paymentIntents.payPix(intent, { scenario: 'paid' });
    return intent;
  };
  const refund = (person: Browser, payment_intent: string, amount?: number): Promise<Answer> =>
    person.post('/api/v1/refunds', { refund: { payment_intent, ...(amount === undefined ? {} : { amount }) } });

  test('of support ends at the limit of the account, in all its parts together', async () => {
    const intent = await paid();
    const support = personOf('support');
    expect(codeOf(await refund(support, intent))).toBe('PERMISSION_DENIED');
    expect((await refund(support, intent, 60_000)).status).toBe(201);
    expect(codeOf(await refund(support, intent, 40_001))).toBe('PERMISSION_DENIED');
    expect((await refund(support, intent, 40_000)).status).toBe(201);
  });

  test('of finance goes beyond it after a fresh login', async () => {
    const intent = await paid();
    const finance = await newPerson(api, { accountId: shop.accountId, role: 'finance' });
    await api.composition.database.pool.query(
      "UPDATE staff_session SET fresh_at = now() - interval '1 hour' WHERE staff_id = (SELECT id FROM staff WHERE email = $1)",
      [finance.email],
    );
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(codeOf(await refund(finance, intent, 100_001))).toBe('FRESH_LOGIN_REQUIRED');
    const { status, body } = await finance.post('/auth/fresh', { password: 'uma senha bem comprida' });
    expect([status, body.fresh_until > 0]).toEqual([200, true]);
    expect((await refund(finance, intent, 100_001)).status).toBe(201);
  });
});
