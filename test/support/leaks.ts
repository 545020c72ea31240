import type { Client } from '@temporalio/client';
import type pg from 'pg';
import type { SecretBox } from '../../server/db/secret-box.ts';
import { AMEX_CVC, CVC, cards } from './cards.ts';

/** A number however it is written: its digits with anything like a separator between them. */
const spelled = (number: string): string => [...number.replaceAll(/\D/g, '')].join('[ .-]?');

/** Words alone: a digit beside them, or a sign of JSON, makes them part of a figure. */
const word = (text: string): string => `(^|[^0-9A-Za-z:.,_-])${text}($|[^0-9A-Za-z:.,_-])`;

/** The cards of the sandbox and the security codes that tests pay with, for PostgreSQL and for JavaScript alike. */
export const LEAK_PATTERN = [...Object.values(cards).map(spelled), word(CVC), word(AMEX_CVC)].join('|');

const LEAK = new RegExp(LEAK_PATTERN);
const SHOWN = 80;

/** A text without what holds any digits by chance: ids, keys and instants. */
export const withoutChance = (text: string): string =>
  text.replaceAll(/\b[a-z]+_[0-9a-z]{26}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b1\d{9}\b/g, '…');

/** Where a text holds a card number or a security code; none when it holds neither. */
function leaksInText(where: string, text: string): string[] {
  const found = LEAK.exec(text);
  if (found === null) return [];
  return [`${where}: …${text.slice(Math.max(0, found.index - SHOWN), found.index + SHOWN)}…`];
}

/** Every row of every table of ours; what is sealed is looked at by `leaksInAnswers`. */
async function leaksInTables(pool: pg.Pool): Promise<string[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const findings: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(
      `SELECT t::text AS row FROM ${name} t WHERE t::text ~ $1 LIMIT 3`,
      [LEAK_PATTERN],
    );
    findings.push(...rows.flatMap(({ row }) => leaksInText(`table ${name}`, row)));
  }
  return findings;
}

/** The image of a QR code: among so many letters and signs any three digits come up at times. */
const IMAGE = /data:image\/png;base64,[\w+/=]+/g;

/** The stored answers of Idempotency-Keys, which are encrypted in their rows. */
async function leaksInAnswers(pool: pg.Pool, secretBox: SecretBox): Promise<string[]> {
  const { rows } = await pool.query<{ answer: Buffer }>('SELECT answer FROM idempotency_key WHERE answer IS NOT NULL');
  return rows.flatMap(({ answer }) =>
    leaksInText('idempotency_key.answer', secretBox.open(answer).replaceAll(IMAGE, '…')),
  );
}

/** What a metric counts may come to any three digits; its labels are looked at. */
const COUNT = / [\d.e+-]+$/gm;

/** Everything that a service left behind: tables, idempotent answers, log lines and metrics. */
export async function findLeaks(left: {
  pool: pg.Pool;
  secretBox: SecretBox;
  log: string;
  metrics: string;
}): Promise<string[]> {
  const inTables = await leaksInTables(left.pool);
  const inAnswers = await leaksInAnswers(left.pool, left.secretBox);
  return [
    ...inTables,
    ...inAnswers,
    ...leaksInText('log', left.log),
    ...leaksInText('metrics', left.metrics.replaceAll(COUNT, '')),
  ];
}

/** Temporal's own counts, which may well be a security code of ours. */
const COUNTED = /(?:SizeBytes|eventId|EventId|taskId)$/;

/** Payloads are bytes; as text they show what is in them. */
function readable(key: string, value: unknown): unknown {
  if (COUNTED.test(key)) return null;
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value;
}

/** The histories of all workflows that a query finds. */
export async function leaksInHistories(client: Client, query: string): Promise<string[]> {
  const findings: string[] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    findings.push(...leaksInText(`history ${workflowId}`, JSON.stringify(history, readable)));
  }
  return findings;
}
