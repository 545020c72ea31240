import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import type pg from 'pg';
import { sealedColumns } from '../../server/sealing/sealed-columns.ts';
import type { SecretBox } from '../../server/sealing/secret-box.ts';
import { AMEX_CVC, CVC, cards } from './cards.ts';

/** A number however it is written: its digits with anything like a separator between them. */
const spelled = (number: string): string => [...number.replaceAll(/\D/g, '')].join('[ .-]?');

/** Words alone: a digit beside them, or a sign of JSON, makes them part of a figure. */
const word = (text: string): string => `(^|[^0-9A-Za-z:.,_-])${text}($|[^0-9A-Za-z:.,_-])`;

/** The cards of Pagar.me's simulator that tests pay with. */
const LIVE_CARDS = ['4000000000000010', '4000000000000028'];

/** What an acquirer gives a browser for a card: good for a minute, and for nobody to keep. */
const BROWSER_TOKEN = 'token_[0-9A-Za-z]{16}';

/** The cards and the security codes that tests pay with, for PostgreSQL and for JavaScript alike. */
export const LEAK_PATTERN = [
  ...[...Object.values(cards), ...LIVE_CARDS].map(spelled),
  BROWSER_TOKEN,
  word(CVC),
  word(AMEX_CVC),
].join('|');

const SHOWN = 80;

/** JavaScript's own way escapes letters, too, which PostgreSQL takes for classes. */
const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The pattern of given secrets, as text and as PostgreSQL shows their bytes. */
export const patternOf = (secrets: readonly string[]): string =>
  secrets.flatMap((secret) => [literally(secret), Buffer.from(secret).toString('hex')]).join('|');

/** A text without what holds any digits by chance: ids, keys and instants. */
export const withoutChance = (text: string): string =>
  text.replaceAll(/\b[a-z]+_[0-9a-z]{26}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b1\d{9}\b/g, '…');

/** Where a text holds what a pattern finds, at first; none when it holds nothing. */
export function leaksInText(where: string, text: string, pattern: string): string[] {
  const found = new RegExp(pattern).exec(text);
  if (found === null) return [];
  return [`${where}: …${text.slice(Math.max(0, found.index - SHOWN), found.index + SHOWN)}…`];
}

/** Every row of every table of ours; what is sealed is looked at by `leaksInSealed`. */
async function leaksInTables(pool: pg.Pool, pattern: string): Promise<string[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const findings: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(
      `SELECT t::text AS row FROM ${name} t WHERE t::text ~ $1 LIMIT 3`,
      [pattern],
    );
    findings.push(...rows.flatMap(({ row }) => leaksInText(`table ${name}`, row, pattern)));
  }
  return findings;
}

/** The image of a QR code: among so many letters and signs any three digits come up at times. */
const IMAGE = /data:image\/png;base64,[\w+/=]+/g;

/** What is a secret by itself: it may hold any digits, and is to be found nowhere else. */
const SECRETS: readonly string[] = ['hash key', 'webhook secret', 'acquirer settings'];

/** What is sealed in the rows of every table: above all the stored answers of Idempotency-Keys. */
async function leaksInSealed(pool: pg.Pool, secretBox: SecretBox, pattern: string): Promise<string[]> {
  const findings: string[] = [];
  for (const { table, column, use, id, account } of Object.values(sealedColumns)) {
    if (SECRETS.includes(use)) continue;
    const { rows } = await pool.query<{ id: string; accountId: string | null; sealed: Buffer }>(
      `SELECT ${id} AS id, ${account} AS "accountId", ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL`,
    );
    const texts = rows.map(({ sealed, ...place }) => secretBox.open(sealed, { use, ...place }).replaceAll(IMAGE, '…'));
    findings.push(...texts.flatMap((text) => leaksInText(`${table}.${column}`, text, pattern)));
  }
  return findings;
}

/** What a metric counts may come to any three digits; its labels are looked at. */
const COUNT = / [\d.e+-]+$/gm;

/** What a service left behind. */
export interface Left {
  readonly pool: pg.Pool;
  readonly secretBox: SecretBox;
  readonly log: string;
  readonly metrics: string;
}

/** What a pattern, that of cards unless another is given, finds in tables, what is sealed in them, log lines and metrics. */
export async function findLeaks(left: Left, pattern = LEAK_PATTERN): Promise<string[]> {
  const inTables = await leaksInTables(left.pool, pattern);
  const inSealed = await leaksInSealed(left.pool, left.secretBox, pattern);
  return [
    ...inTables,
    ...inSealed,
    ...leaksInText('log', left.log, pattern),
    ...leaksInText('metrics', left.metrics.replaceAll(COUNT, ''), pattern),
  ];
}

/** Temporal's own counts, which may well be a security code of ours. */
const COUNTED = /(?:SizeBytes|eventId|EventId|taskId)$/;

const withoutCounts = (key: string, value: unknown): unknown => (COUNTED.test(key) ? null : value);

const isPayload = (value: object): value is Payload => 'metadata' in value && 'data' in value;

/** The payloads in a part of a history, however deep. */
export function payloadsIn(value: unknown): Payload[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  return isPayload(value) ? [value] : Object.values(value).flatMap(payloadsIn);
}

/** What payloads hold; the JSON of a history shows them as base64, which no pattern sees through. */
export const wordsOf = (payloads: readonly Payload[]): string =>
  payloads
    .flatMap(({ metadata, data }) => [...Object.values(metadata ?? {}), data])
    .map((bytes) => Buffer.from(bytes ?? []).toString())
    .join('\n');

const isSealed = ({ metadata }: Payload): boolean =>
  Buffer.from(metadata?.encoding ?? []).toString() === 'binary/encrypted';

/** A history as it is kept, and then what its payloads hold. */
async function textOf(client: Client, history: object): Promise<string> {
  const kept = payloadsIn(history);
  let opened = kept.filter(isSealed);
  for (const codec of client.options.loadedDataConverter.payloadCodecs) opened = await codec.decode(opened);
  return [JSON.stringify(history, withoutCounts), wordsOf(kept), wordsOf(opened)].join('\n');
}

/** What a pattern finds in the histories of all workflows that a query finds. */
export async function leaksInHistories(client: Client, query: string, pattern = LEAK_PATTERN): Promise<string[]> {
  const findings: string[] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    findings.push(...leaksInText(`history ${workflowId}`, await textOf(client, history), pattern));
  }
  return findings;
}
