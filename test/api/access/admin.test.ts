import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectionSettingsOf, setCollectionDays } from '../../../server/accounts/collection-settings.ts';
import { updateAccount } from '../../../server/accounts/service.ts';
import type { CollectionDays } from '../../../server/kernel/collection-days.ts';
import { realTime } from '../../../server/kernel/time.ts';
import { adminHere, runAdmin } from '../../support/admin.ts';
import { sdkFor, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer, newInvoice, newProduct } from '../../support/factories.ts';
import { remindOf } from '../../support/mails.ts';
import { subscribe } from '../../support/subscriptions.ts';

const YEAR = 365 * 86_400;
/** Each command is a process of its own. */
const MANY_COMMANDS_MS = 120_000;
/** Seconds that a slow machine may take between two looks at its clock. */
const A_WHILE = 60;
const UNKNOWN_EVENT = 'evt_01h455vb4pex5vsknk084sn02q';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const admin = (...args: string[]) => runAdmin(api, args);

test('regression: an account is created with a name, an e-mail and a city as the API would take them, or not at all', async () => {
  const refused = await admin('account', 'create', '--name', ' ', '--email', 'dono', '--city', 'São\u0007Paulo');
  expect(refused).toEqual({
    code: 1,
    out: '',
    err:
      'name must not be empty, got " "\n' +
      'email must be an e-mail address, got "dono"\n' +
      'city must not contain control characters, got "São\\u0007Paulo"\n',
  });

  const city = 'C'.repeat(255);
  const made = await admin('account', 'create', '--name', ' Loja Nova ', '--email', ' nova@loja.test ', '--city', city);
  expect(made).toMatchObject({ code: 0, err: '' });
  const list = await admin('account', 'list');
  const accounts = list.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(accounts).toEqual([
    expect.objectContaining({ id: JSON.parse(made.out).id, name: 'Loja Nova', email: 'nova@loja.test', city }),
  ]);
});

test.each([
  [{ email: `${'e'.repeat(250)}@a.br` }, 'email must have at most 254 characters, has 255'],
  [{ email: 'a b@loja.test' }, 'email must be an e-mail address'],
  [{ city: '' }, 'city must not be empty'],
])('an account is not changed to %j', async (settings, message) => {
  const { accountId } = await api.newMerchant();
  await expect(updateAccount(api.operator, accountId, settings)).rejects.toMatchObject({
    code: 'PARAMETER_INVALID',
    param: Object.keys(settings)[0],
    message: expect.stringContaining(message),
  });
});

test('regression: a change of nothing is refused', async () => {
  const { accountId } = await api.newMerchant();
  expect(await admin('account', 'set', accountId)).toEqual({
    code: 1,
    out: '',
    err: 'Nothing to change: give at least one of --email, --city, --pix-validity, --overdue-days, --suspend-days, --cancel-days, --retry-days, --reminder-days, --name, --tax-id, --support-email, --support-phone, --color, --logo-url, --cover-color, --corner-radius, --font, --terms-url, --privacy-url\n',
  });
  expect(await admin('account', 'set-limits', accountId)).toEqual({
    code: 1,
    out: '',
    err: 'Nothing to change: give at least one of --minute, --payment-intents-get, --checkout-sessions-create, --checkout-sessions-get, --checkout-sessions-list\n',
  });
});

describe('the test clock of a new account', () => {
  const lastOf = (out: string) => JSON.parse(out.trim().split('\n').at(-1) ?? '');

  test.each([
    ['before', -5 * YEAR],
    ['after', 5 * YEAR],
  ])('begins %s now where it is told to, and its live data do not', async (_, ahead) => {
    const clock = realTime() + ahead;
    const made = await admin(
      'account',
      'create',
      '--name',
      'Loja',
      '--email',
      'dono@loja.test',
      '--clock',
      String(clock),
    );
    expect(made).toMatchObject({ code: 0, err: '' });
    const { id, sandbox_key, live_key } = JSON.parse(made.out);
    const { created } = await sdkFor(api.baseUrl, sandbox_key).products.create({ name: 'Plano' });
    expect(Math.abs(created - clock)).toBeLessThan(A_WHILE);
    expect((await sdkFor(api.baseUrl, live_key).products.create({ name: 'Plano' })).created).toBe(api.clock.now());
    const shown = lastOf((await admin('account', 'list')).out);
    expect(shown).toMatchObject({ id, test_clock: { now: expect.any(Number), target: null } });
    expect(Math.abs(shown.test_clock.now - clock)).toBeLessThan(A_WHILE);
  });

  test('is not told what is no instant', async () => {
    for (const clock of ['2027-01-31', '-1', '1.5', '4102444801']) {
      const made = await admin('account', 'create', '--name', 'Loja', '--email', 'a@loja.test', `--clock=${clock}`);
      expect(made).toMatchObject({
        code: 1,
        err: expect.stringContaining('must be a whole number from 0 to 4102444800'),
      });
    }
  });

  test('shows where it is being advanced to', async () => {
    const { accountId } = await api.newMerchant();
    await api.composition.deps.pool.query(
      'UPDATE account SET clock_held_at = 7, clock_target = 9, clock_moved_at = now() WHERE id = $1',
      [accountId],
    );
    expect(lastOf((await admin('account', 'list')).out)).toMatchObject({
      id: accountId,
      test_clock: { now: 7, target: 9 },
    });
  });
});

describe('the days of collection', () => {
  const daysAfter = async (accountId: string, ...options: string[]) => {
    const { out, err } = await admin('account', 'set', accountId, ...options);
    if (err !== '') return err;
    const { overdue_days, suspend_days, cancel_days, retry_days } = JSON.parse(out);
    return [overdue_days, suspend_days, cancel_days, retry_days];
  };

  test('have their defaults until they are set, each alone', async () => {
    const { accountId } = await api.newMerchant();
    expect(await daysAfter(accountId, '--name', 'Loja')).toEqual([1, 10, 30, [1, 3, 7]]);
    expect(await daysAfter(accountId, '--cancel-days', '60', '--retry-days', '2,4')).toEqual([1, 10, 60, [2, 4]]);
    expect(await daysAfter(accountId, '--overdue-days', '2', '--suspend-days', '5')).toEqual([2, 5, 60, [2, 4]]);
    expect(await daysAfter(accountId, '--retry-days', 'none')).toEqual([2, 5, 60, []]);
  });

  const steps = (got: string) =>
    `collection days must be whole days from 1 to 365 with overdue <= suspend < cancel, got ${got}`;
  const retries = (got: string, suspend = 10) =>
    `retry days must be at most 10 whole days, rising from 1 up to the ${suspend} of the suspension, got ${got}`;

  test.each<[Partial<CollectionDays>, string]>([
    [{ suspendDays: 30 }, steps('overdue 1, suspend 30, cancel 30')],
    [{ overdueDays: 11 }, steps('overdue 11, suspend 10, cancel 30')],
    [{ overdueDays: 0.5 }, steps('overdue 0.5, suspend 10, cancel 30')],
    [{ overdueDays: 0 }, steps('overdue 0, suspend 10, cancel 30')],
    [{ cancelDays: 366 }, steps('overdue 1, suspend 10, cancel 366')],
    [{ retryDays: [3, 1] }, retries('3,1')],
    [{ retryDays: [1, 1] }, retries('1,1')],
    [{ retryDays: [0, 1] }, retries('0,1')],
    [{ retryDays: [1, 11] }, retries('1,11')],
    [{ suspendDays: 20, retryDays: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }, retries('1,2,3,4,5,6,7,8,9,10,11', 20)],
  ])('%j do not come to one step after the other, and change nothing', async (collection, message) => {
    const { accountId } = await api.newMerchant();
    await expect(setCollectionDays(api.operator, { accountId, days: collection })).rejects.toMatchObject({
      code: 'PARAMETER_INVALID',
      message,
    });
    const kept = { overdueDays: 1, suspendDays: 10, cancelDays: 30, retryDays: [1, 3, 7] };
    expect(await collectionSettingsOf(api.operator.pool, [accountId])).toMatchObject([kept, kept]);
  });

  test('are refused with all that is wrong of them', async () => {
    const { accountId } = await api.newMerchant();
    expect(await daysAfter(accountId, '--suspend-days', '5', '--overdue-days', 'six', '--retry-days', '1,x')).toBe(
      `${steps('overdue NaN, suspend 5, cancel 30')}\n${retries('1,NaN', 5)}\n`,
    );
  });
});

test('a limit goes back to its default alone', async () => {
  const { accountId } = await api.newMerchant();
  const limitsAfter = async (...options: string[]) => {
    const { out, err } = await admin('account', 'set-limits', accountId, ...options);
    return err || JSON.parse(out).limits;
  };
  const sessions = ['create', 'get', 'list'].flatMap((what) => [`--checkout-sessions-${what}`, 'default']);
  expect(await limitsAfter('--minute', '7', '--payment-intents-get', '9', ...sessions)).toEqual({
    minute: 7,
    'payment_intents.get': 9,
  });
  expect(await limitsAfter('--minute', 'default')).toEqual({ 'payment_intents.get': 9 });
  expect(await limitsAfter('--payment-intents-get', 'default')).toEqual({});
  expect(await limitsAfter('--minute', 'none')).toContain('must be a whole number from 1 to 1000000000');
});

test('regression-54-an event is printed exactly as its deliveries carry it', async () => {
  const product = await newProduct(await api.newMerchant());
  const { rows } = await api.composition.deps.pool.query('SELECT id, body FROM event WHERE object_id = $1', [
    product.id,
  ]);
  expect(await admin('event', 'show', rows[0].id)).toEqual({ code: 0, out: `${rows[0].body}\n`, err: '' });
});

test.each([UNKNOWN_EVENT, 'nothing'])(
  'regression: the deliveries of %s, which is no event, are not just empty',
  async (id) => {
    const refused = { code: 1, out: '', err: `No such event: ${id}\n` };
    expect(await admin('delivery', 'list', id)).toEqual(refused);
    expect(await admin('event', 'show', id)).toEqual(refused);
  },
);

describe('the e-mails', () => {
  const listed = async (...args: string[]) => {
    const { out } = await admin('mail', 'list', ...args);
    return out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };

  test('are listed with what they say, the newest first', async () => {
    const shop = await api.newMerchant();
    const other = await api.newMerchant();
    const invoice = await newInvoice(shop);
    for (const step of [-3, 0, 1] as const) await remindOf(api, shop, { id: invoice.id, step });
    await remindOf(api, other, { id: (await newInvoice(other)).id, step: 0 });
    const ofInvoice = await listed('--invoice', invoice.id);
    expect(ofInvoice.map(({ step }) => step)).toEqual([1, 0, -3]);
    expect(ofInvoice[0]).toEqual({
      id: expect.stringMatching(/^mail_/),
      occasion: 'reminder',
      account: shop.accountId,
      live_mode: false,
      invoice: invoice.id,
      endpoint: null,
      step: 1,
      created: api.clock.now(),
      status: 'queued',
      recipient: invoice.customer_email,
      recipient_name: 'Maria da Silva',
      subject: expect.stringContaining('[Teste] Sua fatura venceu em '),
      text: expect.stringContaining(`/pay/${invoice.id}/`),
      message_id: expect.stringContaining('@127.0.0.1>'),
      attempts: 0,
      next_try_at: expect.any(String),
      sent_at: null,
      last_error: null,
    });
    expect(await listed('--account', shop.accountId, '--limit', '2')).toEqual(ofInvoice.slice(0, 2));
    expect(await listed('--account', other.accountId, '--invoice', invoice.id)).toEqual([]);
    expect((await listed()).length).toBeGreaterThanOrEqual(4);
  });

  test.each([
    [['--account', 'acct_nobody'], 'No such account: acct_nobody\n'],
    [['--invoice', 'in_nothing'], 'No such invoice: in_nothing\n'],
  ])('of %j are not just none', async (args, err) => {
    expect(await admin('mail', 'list', ...args)).toEqual({ code: 1, out: '', err });
  });
});

describe('the sandbox bank', () => {
  const shown = async (...args: string[]) => {
    const { code, out, err } = await admin('sandbox', ...args);
    return code === 0 ? JSON.parse(out) : err;
  };

  test('behaves as it is set, for all calls and for one, until it is reset', async () => {
    const { accountId } = await api.newMerchant();
    expect(await shown('show', accountId)).toEqual({ account: accountId, behaviour: {} });
    const forAll = ['--latency', '40', '--fault', '2.5', '--notice-delay', '9', '--notice-repeats', '1'];
    const all = { latency_ms: 40, fault: 0.025, notice_delay_seconds: 9, notice_repeats: 1 };
    expect(await shown('set', accountId, ...forAll)).toEqual({ account: accountId, behaviour: { '*': all } });
    const forOne = ['--call', 'chargeCard', '--request-lost', '100', '--answer-lost', '50', '--decline', '0'];
    const chargeCard = { request_lost: 1, answer_lost: 0.5, decline: 0 };
    const both = { account: accountId, behaviour: { '*': { ...all, refuse: 1, not_found_seconds: 3 }, chargeCard } };
    await shown('set', accountId, ...forOne);
    expect(await shown('set', accountId, '--refuse', '100', '--not-found-seconds', '3')).toEqual(both);
    expect(await shown('show', accountId)).toEqual(both);
    expect(await shown('reset', accountId)).toEqual({ account: accountId, behaviour: {} });
  });

  test(
    'is not set to what it does not know',
    async () => {
      const { accountId } = await api.newMerchant();
      const refusals: [args: string[], message: string][] = [
        [['set', accountId], 'Nothing to change: give at least one of --latency, --request-lost'],
        [['set', accountId, '--call', 'chargeCard'], 'Nothing to change'],
        [
          ['set', accountId, '--call', 'charge', '--fault', '1'],
          "argument 'charge' is invalid. Allowed choices are *, createPix",
        ],
        [['set', accountId, '--latency', '60001'], 'must be a whole number from 0 to 60000'],
        [['set', accountId, '--decline', '101'], 'must be a number from 0 to 100'],
        [['set', accountId, '--notice-repeats', '6'], 'must be a whole number from 0 to 5'],
        [
          ['set', accountId, '--call', 'findPix', '--decline', '5'],
          'decline bears on chargeCard and verifyCard, not on findPix',
        ],
        ...['set', 'show', 'reset'].map((verb): [string[], string] => [
          [verb, 'acct_nobody', ...(verb === 'set' ? ['--fault', '1'] : [])],
          'No such account: acct_nobody',
        ]),
      ];
      for (const [args, message] of refusals) expect(await shown(...args)).toContain(message);
      expect(await shown('show', accountId)).toEqual({ account: accountId, behaviour: {} });
    },
    MANY_COMMANDS_MS,
  );
});

/** What leads to cases in the Temporal UI. */
const shownCases = (...workflows: string[]) => ({
  workflows,
  query: `WorkflowId IN (${workflows.map((id) => `"${id}"`).join(', ')})`,
});

test(
  'what goes on with a customer is found by its CPF, with the cases of all that it has',
  async () => {
    const shop = await api.newMerchant();
    const customer = await newCustomer(shop, { identifier: '111.444.777-35' });
    const { id: subscription, latest_invoice: bill } = await subscribe(shop, { customer_id: customer.id });
    const { id: sold } = await newInvoice(shop, { customer_id: customer.id });
    const { payment_intent: intent } = await shop.fatura.invoices.checkout(sold, { payment_method_type: 'pix' });
    await shop.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
    await shop.fatura.refunds.create({ payment_intent: intent ?? '', amount: 100 });
    const { pool } = api.composition.deps;
    const follow = (inCase: boolean) => pool.query('UPDATE invoice SET in_case = $2 WHERE id = $1', [bill, inCase]);
    const retire = (state: string) =>
      pool.query('UPDATE pix_charge SET state = $2 WHERE intent_id = $1', [intent, state]);
    const { rows: qrs } = await pool.query('SELECT id FROM pix_charge WHERE intent_id = $1', [intent]);
    await follow(true);
    await retire('retiring');
    const { out } = await admin('find', '111.444.777-35');
    const [first] = await adminHere(api, ['find', customer.id], { TEMPORAL_UI_URL: 'https://temporal.loja.test' });
    await retire('ended');
    await follow(false);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const common = { account: shop.accountId, live_mode: false };
    const collection = `collection/${subscription}`;
    const settlement = `refund-settlement/${intent}`;
    const expiry = `pix-expiry/${qrs[0].id}`;
    expect(lines).toEqual([
      { ...common, object: 'customer', id: customer.id, status: null, ...shownCases(collection, settlement, expiry) },
      {
        ...common,
        object: 'subscription',
        id: subscription,
        status: 'pending',
        ...shownCases(collection),
        next: expect.stringMatching(/^end at /),
      },
      { ...common, object: 'invoice', id: bill, status: 'open', ...shownCases(collection) },
      { ...common, object: 'payment_intent', id: intent, status: 'refunding', ...shownCases(settlement) },
      { ...common, object: 'pix_charge', id: qrs[0].id, status: null, ...shownCases(expiry) },
    ]);
    const { query, link } = first ?? {};
    expect(link).toBe(
      `https://temporal.loja.test/namespaces/default/workflows?${new URLSearchParams({ query: String(query) })}`,
    );
  },
  MANY_COMMANDS_MS,
);

test(
  'regression-82-anything that an operator is told of is found with its account, mode, state and workflows',
  async () => {
    const shop = await api.newMerchant();
    const customer = await shop.fatura.customers.create({
      name: 'Maria',
      identifier: '52998224725',
      email: 'find@example.com',
      external_code: 'L-1',
    });
    const expected = {
      object: 'customer',
      id: customer.id,
      account: shop.accountId,
      live_mode: false,
      status: null,
      workflows: [],
    };
    for (const sought of [customer.id, 'FIND@example.com', 'L-1']) {
      const { code, out } = await admin('find', sought);
      expect([code, JSON.parse(out)]).toEqual([0, expected]);
    }
    const invoice = await newInvoice(shop);
    expect(JSON.parse((await admin('find', invoice.id)).out)).toMatchObject({ object: 'invoice', status: 'open' });
    const session = await shop.fatura.checkoutSessions.create({
      mode: 'payment',
      success_url: 'https://loja.test/obrigado',
      return_url: 'https://loja.test/carrinho',
      line_items: [{ price_id: invoice.line_items.data[0]?.price ?? '', quantity: 1 }],
    });
    expect(JSON.parse((await admin('find', session.id)).out)).toMatchObject({
      object: 'checkout_session',
      status: 'open',
    });
    const { payment_intent: intent } = await shop.fatura.invoices.checkout(invoice.id, { payment_method_type: 'pix' });
    await shop.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
    await shop.fatura.testHelpers.paymentIntents.dispute(intent ?? '', { scenario: 'fraud' });
    const [dispute] = (await shop.fatura.disputes.list().page()).data;
    const { pool } = api.composition.deps;
    const { rows } = await pool.query('SELECT return_id FROM dispute WHERE id = $1', [dispute?.id]);
    const { rows: qrs } = await pool.query('SELECT id FROM pix_charge WHERE intent_id = $1', [intent]);
    for (const sought of [dispute?.id ?? '', rows[0].return_id])
      expect(JSON.parse((await admin('find', sought)).out)).toEqual({
        object: 'dispute',
        id: dispute?.id,
        account: shop.accountId,
        live_mode: false,
        status: 'lost',
        ...shownCases(`pix-settlement/${qrs[0].id}`),
      });
    const tried = await subscribe(shop, { trial: { days: 14, requires_payment_method: false } });
    const { next } = JSON.parse((await admin('find', tried.id)).out);
    const end = new Date(((tried.trial_end ?? 0) - 3 * 86_400) * 1_000).toISOString().replace('.000', '');
    expect(next).toBe(`tell_trial at ${end}`);
    const before = Date.now();
    const answer = await fetch(`${api.baseUrl}/api/v1/customers`);
    const id = answer.headers.get('Request-Id') ?? '';
    const request = JSON.parse((await admin('find', id)).out);
    expect(request).toEqual({ object: 'request', id, at: expect.any(String), log: expect.stringContaining(id) });
    expect(Math.abs(Date.parse(request.at) - before)).toBeLessThan(5_000);
    expect(await admin('find', 'nobody@example.com')).toEqual({
      code: 1,
      out: '',
      err: 'Nothing is known of nobody@example.com\n',
    });
  },
  MANY_COMMANDS_MS,
);
