import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit, checks, countRows, type Finding, findings } from '../../server/audit/audit.ts';
import { writeAttempts } from '../../server/events/record.ts';
import { idDay, newId, newSuffix } from '../../server/kernel/ids.ts';
import { refundSettlementStep } from '../../server/payments/cases.ts';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { newCustomer, newInvoice, newPrice } from '../support/factories.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;

let api: TestApi;
let pool: pg.Pool;
let merchant: Merchant;

/** What the faults are planted into; all of it came about through the API. */
let sold: Sale;
let waiting: Sale;
let discounted: string;
let twice: { invoice: string; surplus: string };
let endpoint: string;
let strangersEndpoint: string;

interface Sale {
  readonly invoice: string;
  readonly intent: string;
  readonly txid: string;
}

const one = async (sql: string, ...values: unknown[]): Promise<string> => {
  const { rows } = await pool.query<{ it: string }>(sql, values);
  if (rows.length !== 1) throw new Error(`${rows.length} rows: ${sql}`);
  return String(rows[0]?.it);
};

async function checkedOut(invoice: { id: string }): Promise<Sale> {
  await merchant.fatura.invoices.checkout(invoice.id, { payment_method_type: 'pix' });
  const intent = await one('SELECT payment_intent_id AS it FROM invoice WHERE id = $1', invoice.id);
  return {
    invoice: invoice.id,
    intent,
    txid: await one('SELECT id AS it FROM pix_charge WHERE intent_id = $1', intent),
  };
}

async function paid(
  sale: Sale,
  scenario: 'paid' | 'paid_twice' | 'paid_late' | 'confirmed_not_settled' = 'paid',
): Promise<Sale> {
  await merchant.fatura.testHelpers.paymentIntents.payPix(sale.intent, { scenario });
  return sale;
}

const surplusOf = (invoice: string) =>
  one('SELECT id AS it FROM payment_intent WHERE invoice_id = $1 AND surplus', invoice);

async function newEndpoint({ fatura }: Merchant): Promise<string> {
  const { id } = await fatura.webhookEndpoints.create({
    url: 'http://127.0.0.1:9/hook',
    event_types: ['invoice.*', 'payment_intent.*'],
  });
  // As if it had subscribed long before, so that no event falls into the margin around a filter's change.
  await pool.query(`UPDATE webhook_endpoint SET subscribed_at = now() - interval '1 hour' WHERE id = $1`, [id]);
  return id;
}

/** What the worker records: one delivery accepted, one refused and to be tried again. */
async function attemptDeliveries(): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT event_id AS id FROM delivery WHERE endpoint_id = $1 ORDER BY event_id LIMIT 2`,
    [endpoint],
  );
  const at = api.clock.now();
  const attempt = (id: string) => ({
    day: idDay(id) ?? '',
    eventId: id,
    endpointId: endpoint,
    ladder: 1,
    attempt: 1,
    at,
    durationMs: 9,
  });
  const [first = '', second = ''] = rows.map(({ id }) => id);
  await writeAttempts(pool, [
    { ...attempt(first), outcome: 'delivered', statusCode: 204, failure: null, detail: null, nextAttemptAt: null },
    {
      ...attempt(second),
      outcome: 'failed',
      statusCode: 500,
      failure: 'http_status',
      detail: 'HTTP 500',
      nextAttemptAt: at + 60,
    },
  ]);
}

async function sellInEveryWay(): Promise<void> {
  const { fatura } = merchant;
  sold = await paid(await checkedOut(await newInvoice(merchant, { amount: 1000 })));
  waiting = await checkedOut(await newInvoice(merchant, { amount: 2000 }));
  const discounts = [
    { type: 'percentage' as const, percentage: 33.33 },
    { type: 'fixed' as const, amount_cents: 150 },
  ];
  discounted = (await paid(await checkedOut(await newInvoice(merchant, { amount: 9990, discounts })))).invoice;
  await newInvoice(merchant, { discounts: [{ type: 'percentage', percentage: 100 }] });
  await newInvoice(merchant, { draft: true, metadata: [{ status: 'draft' }] });
  const draft = await newInvoice(merchant, { draft: true });
  await fatura.invoices.finalize(draft.id);
  await fatura.invoices.void((await newInvoice(merchant, { draft: true })).id);
  await fatura.invoices.void((await checkedOut(await newInvoice(merchant))).invoice);
  const givenUp = await newInvoice(merchant);
  await fatura.invoices.markUncollectible(givenUp.id);
  await paid(await checkedOut(givenUp));
  await paid(await checkedOut(await newInvoice(merchant)), 'confirmed_not_settled');
  await newInvoice({ ...merchant, fatura: merchant.live });
}

/** Money that nobody asked for: returned, on its way, and refused by the bank the first time. */
async function payTooMuch(): Promise<void> {
  const { deps } = api.composition;
  const { invoice } = await paid(await checkedOut(await newInvoice(merchant, { amount: 3000 })), 'paid_twice');
  twice = { invoice, surplus: await surplusOf(invoice) };
  const late = await checkedOut(await newInvoice(merchant, { amount: 4000 }));
  await merchant.fatura.invoices.void(late.invoice);
  await paid(late, 'paid_late');
  await refundSettlementStep(deps, await surplusOf(late.invoice));
  const refused = await paid(await checkedOut(await newInvoice(merchant, { amount: 5099 })), 'paid_twice');
  await refundSettlementStep(deps, await surplusOf(refused.invoice));
  await refundSettlementStep(deps, twice.surplus);
  api.clock.advance(5);
  await refundSettlementStep(deps, twice.surplus);
}

async function changeThings(): Promise<void> {
  const { fatura } = merchant;
  const former = await checkedOut(await newInvoice(merchant));
  api.clock.advance(DAY);
  await checkedOut({ id: former.invoice });
  const customer = await newCustomer(merchant);
  await fatura.customers.update(customer.id, { name: 'Maria Souza' });
  await fatura.customers.anonymize(customer.id);
  const price = await newPrice(merchant);
  await fatura.prices.update(price.id, { active: false });
}

beforeAll(async () => {
  api = await startApi();
  pool = api.composition.deps.pool;
  merchant = await api.newMerchant();
  endpoint = await newEndpoint(merchant);
  strangersEndpoint = await newEndpoint(await api.newMerchant());
  await sellInEveryWay();
  await payTooMuch();
  await changeThings();
  await attemptDeliveries();
});
afterAll(() => api.stop());

/** What the audit finds with a fault in place; the fault is undone afterwards. */
async function foundWith(
  fault: readonly [sql: string, ...values: unknown[]][],
  options: { patienceSeconds?: number } = {},
): Promise<Finding[]> {
  const client = await pool.connect();
  try {
    // Foreign keys and their like would refuse most faults at once: here they are as if they had not been.
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica');
    for (const [sql, ...values] of fault) {
      const { rowCount } = await client.query(sql, values);
      if (rowCount === 0) throw new Error(`the fault is not in place: ${sql}`);
    }
    return await findings(client, { now: api.clock.now(), ...options });
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

const brokenBy = async (...fault: [sql: string, ...values: unknown[]][]): Promise<string[]> =>
  [...new Set((await foundWith(fault)).map(({ check }) => check))].sort();

test('a database in which everything was done by the service is found right', async () => {
  expect(await audit(pool, { now: api.clock.now() })).toEqual([]);
  expect(await countRows(pool)).toBeGreaterThan(100);
  expect(new Set(checks.map(({ name }) => name)).size).toBe(checks.length);
});

test('a finding is a sentence that names the ids', async () => {
  const fault: [string, ...unknown[]] = [`UPDATE pix_receipt SET amount = amount - 1 WHERE txid = $1`, sold.txid];
  const receipt = await one('SELECT id AS it FROM pix_receipt WHERE txid = $1', sold.txid);
  const sentences = (await foundWith([fault])).map(({ sentence }) => sentence);
  expect(sentences).toEqual([
    expect.stringContaining(`the receipt ${receipt} is of 999 for ${sold.txid}`),
    expect.stringContaining(`${sold.intent} is paid with an amount of 1000, and 1 receipts brought 999: ${receipt}`),
  ]);
});

test('a fault that is everywhere is shown twenty times and counted', async () => {
  const found = await foundWith([[`UPDATE event SET body_digest = md5('')::uuid`]]);
  expect(found).toHaveLength(21);
  expect(found.at(-1)?.sentence).toMatch(/^\d+ more of the same were found$/);
});

describe('a fault of money is found:', () => {
  test('a total that its lines do not come to', async () => {
    expect(
      await brokenBy([
        `UPDATE invoice SET line_items = jsonb_set(line_items, '{0,quantity}', '2') WHERE id = $1`,
        waiting.invoice,
      ]),
    ).toEqual(['invoice-subtotal']);
  });
  test('a discount that is rounded another way', async () => {
    expect(
      await brokenBy([
        `UPDATE invoice SET discounts = jsonb_set(discounts, '{0,percentage}', '33.34') WHERE id = $1`,
        discounted,
      ]),
    ).toEqual(['invoice-discounted-total']);
  });
  test('a line of another amount than its price', async () => {
    expect(
      await brokenBy([
        `UPDATE price SET unit_amount = 1001 WHERE id = (SELECT line_items #>> '{0,price}' FROM invoice WHERE id = $1)`,
        sold.invoice,
      ]),
    ).toEqual(['invoice-lines']);
  });
  test('amount_refunded without a refund', async () => {
    expect(await brokenBy([`UPDATE invoice SET amount_refunded = 1 WHERE id = $1`, sold.invoice])).toEqual([
      'invoice-refunded',
    ]);
    expect(await brokenBy([`UPDATE payment_intent SET amount_refunded = 1 WHERE id = $1`, sold.intent])).toEqual([
      'intent-refunded',
    ]);
  });
  test('an invoice paid without money', async () => {
    const pay = `UPDATE invoice SET status = 'paid', amount_paid = total, paid_at = created WHERE id = $1`;
    expect(await brokenBy([pay, waiting.invoice])).toEqual([
      'invoice-events',
      'invoice-settled-once',
      'invoice-unsettled-intents',
    ]);
  });
  test('an invoice settled by an intent without a receipt', async () => {
    expect(
      await brokenBy(
        [`DELETE FROM pix_receipt WHERE txid = $1`, sold.txid],
        [`DELETE FROM sandbox_bank.pix WHERE txid = $1`, sold.txid],
        [`UPDATE sandbox_bank.cob SET status = 'REMOVIDA_PELO_USUARIO_RECEBEDOR' WHERE txid = $1`, sold.txid],
      ),
    ).toEqual(['receipt-of-intent']);
  });
  test('a second unsettled intent', async () => {
    const copy = `INSERT INTO payment_intent (id, account_id, live_mode, created, invoice_id, customer_id, status, amount, due_at)
      SELECT $2, account_id, live_mode, created, invoice_id, customer_id, 'pending', amount, due_at FROM payment_intent WHERE id = $1`;
    expect(await brokenBy([`DROP INDEX payment_intent_one_unsettled`], [copy, waiting.intent, newId('pi')])).toEqual([
      'invoice-newest-intent',
      'invoice-unsettled-intents',
      'payment-intent-events',
    ]);
  });
  test('an unsettled intent on an invoice that is paid', async () => {
    const pending = `UPDATE payment_intent SET status = 'pending', discarded_at = NULL WHERE id = $1`;
    const former = await one(`SELECT min(id) AS it FROM payment_intent WHERE status = 'discarded'`);
    expect(await brokenBy([pending, former])).toEqual(['invoice-unsettled-intents', 'payment-intent-events']);
  });
  test('a status that its instants deny', async () => {
    expect(await brokenBy([`UPDATE invoice SET finalized_at = NULL WHERE id = $1`, sold.invoice])).toEqual([
      'invoice-status-times',
    ]);
    expect(await brokenBy([`UPDATE payment_intent SET refunding_at = created WHERE id = $1`, waiting.intent])).toEqual([
      'intent-status-times',
      'payment-intent-events',
    ]);
  });
});

describe('a fault against the bank’s books is found:', () => {
  test('a receipt that is off by a cent', async () => {
    expect(await brokenBy([`UPDATE pix_receipt SET amount = amount + 1 WHERE txid = $1`, sold.txid])).toEqual([
      'receipt-at-bank',
      'receipt-of-intent',
    ]);
  });
  test('a payment at the bank that we never booked', async () => {
    const pay = `INSERT INTO sandbox_bank.pix VALUES ('E1', $1, 2000, $2, $2)`;
    const conclude = `UPDATE sandbox_bank.cob SET status = 'CONCLUIDA' WHERE txid = $1`;
    expect(await brokenBy([pay, waiting.txid, api.clock.now()], [conclude, waiting.txid])).toEqual(['payment-booked']);
    const notice = `INSERT INTO outbox (kind, key, account_id) VALUES ('pix-settlement', $1, $2)`;
    expect(
      await brokenBy(
        [pay, waiting.txid, api.clock.now()],
        [conclude, waiting.txid],
        [notice, waiting.txid, merchant.accountId],
      ),
    ).toEqual([]);
    expect(await brokenBy([pay, waiting.txid, api.clock.now() + 1], [conclude, waiting.txid])).toEqual([]);
  });
  test('a receipt that the bank knows nothing of', async () => {
    expect(await brokenBy([`DELETE FROM sandbox_bank.pix WHERE txid = $1`, sold.txid])).toEqual([
      'bank-concluded',
      'receipt-at-bank',
    ]);
  });
  test('a QR code of another amount, and one that ended in our books alone', async () => {
    expect(await brokenBy([`UPDATE sandbox_bank.cob SET amount = amount + 1 WHERE txid = $1`, waiting.txid])).toEqual([
      'qr-code-at-bank',
    ]);
    expect(
      await brokenBy([
        `UPDATE pix_charge SET state = 'ended' WHERE id = (SELECT max(txid) FROM sandbox_bank.cob WHERE status = 'ATIVA')`,
      ]),
    ).toEqual(['qr-code-ended']);
  });
  test('a surplus that is never returned', async () => {
    expect(
      await brokenBy(
        [
          `DELETE FROM sandbox_bank.devolucao WHERE id IN (SELECT reference FROM refund_part WHERE intent_id = $1)`,
          twice.surplus,
        ],
        [`DELETE FROM refund_part WHERE intent_id = $1`, twice.surplus],
        [
          `UPDATE payment_intent SET status = 'paid', amount_refunded = 0, refunded_at = NULL, refunding_at = NULL WHERE id = $1`,
          twice.surplus,
        ],
      ),
    ).toEqual(['payment-intent-events', 'surplus-return']);
  });
  test('a return that the bank made under another reference, of another amount, or not at all', async () => {
    const reference = `UPDATE refund_part SET reference = $2 WHERE intent_id = $1`;
    expect(await brokenBy([reference, twice.surplus, newSuffix()])).toEqual(['refund-at-bank', 'return-booked']);
    expect(
      await brokenBy([
        `UPDATE sandbox_bank.devolucao SET amount = amount - 1 WHERE id = (SELECT reference FROM refund_part WHERE intent_id = $1)`,
        twice.surplus,
      ]),
    ).toEqual(['refund-at-bank']);
    expect(
      await brokenBy([
        `UPDATE sandbox_bank.devolucao SET refused = true WHERE id = (SELECT reference FROM refund_part WHERE intent_id = $1)`,
        twice.surplus,
      ]),
    ).toEqual(['refund-at-bank', 'refund-requests']);
  });
});

describe('a fault of events is found:', () => {
  const ofInvoicePaid = `type = 'invoice.paid' AND object_id = $1`;

  test('a body that was changed', async () => {
    expect(
      await brokenBy([
        `UPDATE event SET body = replace(body, 'amount_paid":1000', 'amount_paid":1001') WHERE ${ofInvoicePaid}`,
        sold.invoice,
      ]),
    ).toEqual(['event-body']);
  });
  test('an event that is missing', async () => {
    expect(
      await brokenBy(
        [`DELETE FROM delivery WHERE event_id IN (SELECT id FROM event WHERE ${ofInvoicePaid})`, sold.invoice],
        [`DELETE FROM event WHERE ${ofInvoicePaid}`, sold.invoice],
      ),
    ).toEqual(['invoice-events']);
  });
  test('an event that came twice', async () => {
    const again = `INSERT INTO event SELECT day, $2, account_id, live_mode, type, created, object_id, related,
      replace(body, id, $2), md5(replace(body, id, $2))::uuid FROM event WHERE ${ofInvoicePaid}`;
    expect(await brokenBy([again, sold.invoice, newId('evt')])).toEqual(['delivery-missing', 'invoice-events']);
  });
  test('an event of what never happened', async () => {
    expect(
      await brokenBy([`UPDATE event SET object_id = $2 WHERE ${ofInvoicePaid}`, sold.invoice, waiting.invoice]),
    ).toEqual(['event-columns', 'invoice-events']);
    expect(await brokenBy([`UPDATE event SET object_id = $1 WHERE type = 'customer.updated'`, newId('cus')])).toEqual([
      'event-columns',
      'event-object',
    ]);
  });
  test('a draft whose opening nobody was told of', async () => {
    expect(
      await brokenBy(
        [`DELETE FROM event WHERE type = 'invoice.finalized'`],
        [`DELETE FROM delivery WHERE event_id NOT IN (SELECT id FROM event)`],
      ),
    ).toEqual(['invoice-finalized-events']);
  });
  test('an event in the account of another', async () => {
    const stranger = await one('SELECT account_id AS it FROM webhook_endpoint WHERE id = $1', strangersEndpoint);
    expect(await brokenBy([`UPDATE event SET account_id = $2 WHERE ${ofInvoicePaid}`, sold.invoice, stranger])).toEqual(
      ['delivery-missing', 'delivery-scope', 'invoice-events'],
    );
  });
  test('an event under another day', async () => {
    expect(
      await brokenBy(
        [
          `UPDATE delivery SET day = day + 1 WHERE event_id IN (SELECT id FROM event WHERE ${ofInvoicePaid})`,
          sold.invoice,
        ],
        [`UPDATE event SET day = day + 1 WHERE ${ofInvoicePaid}`, sold.invoice],
      ),
    ).toEqual(['event-day']);
  });
});

describe('a fault of deliveries is found:', () => {
  const ofInvoicePaid = `event_id = (SELECT id FROM event WHERE type = 'invoice.paid' AND object_id = $1)`;

  test('one that is missing', async () => {
    expect(await brokenBy([`DELETE FROM delivery WHERE ${ofInvoicePaid}`, sold.invoice])).toEqual(['delivery-missing']);
  });
  test('one to the endpoint of another account', async () => {
    expect(
      await brokenBy([`UPDATE delivery SET endpoint_id = $2 WHERE ${ofInvoicePaid}`, sold.invoice, strangersEndpoint]),
    ).toEqual(['delivery-missing', 'delivery-scope']);
  });
  test('one that nobody asked for', async () => {
    expect(
      await brokenBy([
        `UPDATE webhook_endpoint SET event_types = array_remove(event_types, 'invoice.paid') WHERE id = $1`,
        endpoint,
      ]),
    ).toEqual(['delivery-unasked']);
  });
  test('an attempt that is counted and not on record', async () => {
    expect(await brokenBy([`DELETE FROM delivery_attempt WHERE status_code = 500`])).toEqual(['delivery-attempts']);
  });
  test('one that is delivered by a refusal, and one that failed before its ladder ended', async () => {
    expect(await brokenBy([`UPDATE delivery_attempt SET status_code = 500 WHERE status_code = 204`])).toEqual([
      'delivery-outcome',
    ]);
    expect(await brokenBy([`UPDATE delivery SET status = 'failed', stage = 'done' WHERE stage = 'ladder'`])).toEqual([
      'delivery-outcome',
    ]);
  });
});

describe('what leads from one account into another is found:', () => {
  test('an invoice with the customer of another account', async () => {
    const stranger = await newCustomer(await api.newMerchant());
    expect(await brokenBy([`UPDATE invoice SET customer_id = $2 WHERE id = $1`, sold.invoice, stranger.id])).toEqual([
      'intent-customer',
      'invoice-customer-id',
    ]);
  });
  test('an intent of another mode than its invoice', async () => {
    const found = await brokenBy([`UPDATE payment_intent SET live_mode = true WHERE id = $1`, waiting.intent]);
    expect(found).toEqual(
      expect.arrayContaining(['payment-intent-invoice-id', 'payment-intent-customer-id', 'pix-charge-intent-id']),
    );
  });
  test('a QR code of another intent’s invoice', async () => {
    expect(await brokenBy([`UPDATE pix_charge SET invoice_id = $2 WHERE id = $1`, sold.txid, waiting.invoice])).toEqual(
      ['qr-code-of-intent', 'receipt-of-invoice'],
    );
  });
  test('an object of no account', async () => {
    expect(
      await brokenBy([`UPDATE webhook_endpoint SET account_id = $2 WHERE id = $1`, strangersEndpoint, newId('acct')]),
    ).toEqual(['account']);
  });
});

describe('what lies about beyond its deadline is found:', () => {
  const LONG_AGO = `now() - interval '1 hour'`;
  const longAgo = (): number => api.clock.now() - 30 * DAY;
  /** The suffix of an id that was made months ago. */
  const OLD = `01jaaaaaaa${'0'.repeat(16)}`;

  test('an outbox row that nobody takes', async () => {
    expect(await brokenBy([`UPDATE outbox SET due_at = ${LONG_AGO} WHERE key = $1`, twice.surplus])).toEqual([
      'outbox-stuck',
    ]);
    const found = await foundWith(
      [[`UPDATE outbox SET due_at = now() - interval '5 seconds' WHERE key = $1`, twice.surplus]],
      { patienceSeconds: 1 },
    );
    expect(found.map(({ check }) => check)).toContain('outbox-stuck');
  });
  test('an outbox row of what does not exist', async () => {
    expect(await brokenBy([`UPDATE outbox SET key = $2 WHERE key = $1`, twice.surplus, newId('pi')])).toEqual([
      'outbox-object',
    ]);
  });
  test('a delivery that is not sent', async () => {
    expect(await brokenBy([`UPDATE delivery SET claimable_at = ${LONG_AGO} WHERE stage = 'fresh'`])).toEqual([
      'delivery-stuck',
    ]);
    expect(await brokenBy([`UPDATE delivery SET claimable_at = ${LONG_AGO} WHERE stage = 'ladder'`])).toEqual([
      'delivery-stuck',
    ]);
  });
  test('an idempotency key that is held too long', async () => {
    const insert = `INSERT INTO idempotency_key (hash, account_id, fingerprint, lease_until, created_at) VALUES ('a', $1, 'a', $2, $3)`;
    const at = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();
    expect(await brokenBy([insert, merchant.accountId, at(HOUR), at(0)])).toEqual(['idempotency-lease']);
    expect(await brokenBy([insert, merchant.accountId, null, at(-5 * DAY)])).toEqual(['idempotency-lease']);
    expect(await brokenBy([insert, merchant.accountId, at(60), at(-DAY)])).toEqual([]);
  });
  test('a QR code that nobody ends at the bank', async () => {
    expect(
      await brokenBy(
        [`UPDATE sandbox_bank.cob SET txid = $2 WHERE txid = $1`, waiting.txid, OLD],
        [`UPDATE pix_charge SET id = $2, state = 'retiring', created = $3 WHERE id = $1`, waiting.txid, OLD, longAgo()],
      ),
    ).toEqual(['qr-code-retiring']);
  });
  test('a return that never comes to an end', async () => {
    const start = `UPDATE refund_part SET id = $1, created = $2 WHERE id = (SELECT min(id) FROM refund_part WHERE status = 'refunding' AND retry_at IS NULL)`;
    expect(await brokenBy([start, `rp_${OLD}`, longAgo()])).toEqual(['refund-stuck']);
  });
  test('a receipt that settled nothing', async () => {
    expect(await brokenBy([`UPDATE pix_receipt SET intent_id = NULL WHERE txid = $1`, sold.txid])).toEqual([
      'receipt-of-intent',
      'receipt-undecided',
    ]);
  });
});
