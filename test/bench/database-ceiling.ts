import pg from 'pg';
import { idDay, newId } from '../../server/kernel/ids.ts';
import { driveLanes, type Summary } from './latencies.ts';
import { serveTask } from './task.ts';

/** A row of each table as the service writes it, for the sizes. */
export interface SampleRows {
  readonly accountId: string;
  readonly customers: readonly string[];
  readonly invoice: {
    readonly id: string;
    readonly created: number;
    readonly customer_id: string;
    readonly customer_name: string;
    readonly customer_email: string;
    readonly total: number;
    readonly line_items: unknown;
    readonly due_at: number;
  };
  readonly event: { readonly id: string; readonly body: string };
}

export interface DatabaseCeiling {
  readonly databaseUrl: string;
  readonly clients: number;
  readonly warmupSeconds: number;
  readonly seconds: number;
  readonly sample: SampleRows;
}

/** The three rows in one statement, which is its own transaction: what PostgreSQL can commit with nothing in front of it. */
const INSERT_THREE_ROWS = `
  WITH i AS (
    INSERT INTO invoice (id, account_id, live_mode, created, customer_id, customer_name, customer_email, status, billing_reason, total,
      external_code, description, line_items, discounts, metadata, due_at, finalized_at, paid_at)
    VALUES ($1, $2, false, $3, $4, $5, $6, 'open', 'manual', $7, NULL, NULL, $8, '[]', '[]', $9, $3, NULL)
  ), e AS (
    INSERT INTO event (day, id, account_id, live_mode, type, created, object_id, related, body, body_digest)
    VALUES ($10::date, $11, $2, false, 'invoice.created', $3, $1, ARRAY[$1, $4], $12, md5($12)::uuid)
  )
  INSERT INTO outbox (kind, key, account_id, live_mode) VALUES ('webhook-delivery', $13, $2, false)`;

function createValues({ accountId, customers, invoice, event }: SampleRows) {
  const lineItems = JSON.stringify(invoice.line_items);
  const endpoint = newId('we');
  let turn = 0;
  return (): unknown[] => {
    const invoiceId = newId('in');
    const eventId = newId('evt');
    turn += 1;
    const customerId = customers[turn % customers.length];
    const body = event.body.replaceAll(invoice.id, invoiceId).replaceAll(event.id, eventId);
    const { created, customer_name: name, customer_email: email, total, due_at: dueAt } = invoice;
    const key = `${eventId}/${endpoint}/1`;
    return [
      invoiceId,
      accountId,
      created,
      customerId,
      name,
      email,
      total,
      lineItems,
      dueAt,
      idDay(eventId),
      eventId,
      body,
      key,
    ];
  };
}

async function load(input: DatabaseCeiling, report: { onBegin(): void; onEnd(): void }): Promise<Summary> {
  const values = createValues(input.sample);
  const clients = await Promise.all(
    Array.from({ length: input.clients }, async () => {
      const client = new pg.Client({ connectionString: input.databaseUrl });
      await client.connect();
      return client;
    }),
  );
  const summary = await driveLanes(input.clients, { ...input, ...report }, async (lane) => {
    await clients[lane]?.query({ name: 'insert_three_rows', text: INSERT_THREE_ROWS, values: values() });
    return true;
  });
  await Promise.all(clients.map((client) => client.end()));
  return summary;
}

if (import.meta.main) serveTask(load);
