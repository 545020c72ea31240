import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { format } from 'node:util';
import { Fatura } from '@fatura/sdk';
import { patternOf } from './program.ts';

/** What a guide printed, by the place of its `console.log`. */
export interface Told {
  readonly lines: string[][];
  /** Lines that the shell was to print and did not. */
  readonly missing: string[];
}

const { GUIDE_FOLDER: folder = '', FATURA_API_KEY: apiKey = '', FATURA_BASE_URL: baseUrl = '' } = process.env;
const CLI = join(folder, '../node_modules/@fatura/sdk/cli.js');
const WAIT_MS = 40_000;
const POLL_MS = 20;

const printed: string[][] = [];
const missing: string[] = [];

/** `console.log` of a guide whose words are told beside it. */
export function tell(place: number, ...values: unknown[]): void {
  const lines = printed[place] ?? [];
  printed[place] = lines;
  lines.push(...format(...values).split('\n'));
}

const fatura = new Fatura({ apiKey, baseUrl });

/** An id that is written `in_…` is that of the newest such object. */
const newest: Readonly<Record<string, () => Promise<readonly { id: string }[]>>> = {
  in: async () => (await fatura.invoices.list({ limit: 1 }).page()).data,
  sub: async () => (await fatura.subscriptions.list({ limit: 1 }).page()).data,
  cus: async () => (await fatura.customers.list({ limit: 1 }).page()).data,
  price: async () => (await fatura.prices.list({ limit: 1 }).page()).data,
  pi: async () => (await fatura.paymentIntents.list({ limit: 1 }).page()).data,
  evt: async () => (await fatura.events.list({ limit: 1 }).page()).data,
  we: async () => (await fatura.webhookEndpoints.list({ limit: 1 }).page()).data,
};

async function withIds(line: string): Promise<string> {
  if (line.startsWith('#')) return line;
  let filled = line;
  for (const [, prefix = ''] of line.matchAll(/\b([a-z]+)_…/g)) {
    const [object] = (await newest[prefix]?.()) ?? [];
    if (object === undefined) throw new Error(`no ${prefix}_ to put into: ${line}`);
    filled = filled.replaceAll(`${prefix}_…`, object.id);
  }
  return filled;
}

/** `fatura listen` goes on until the guide ends; its secret is what the reader copies from the terminal. */
async function listen(args: string[]): Promise<void> {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  process.once('exit', () => child.kill());
  let told = '';
  child.stderr.on('data', (chunk) => {
    told += String(chunk);
  });
  await until(`fatura ${args.join(' ')} to be ready`, () => /^Ready\.$/m.test(told));
  process.env.FATURA_WEBHOOK_SECRET = /whsec_\S+/.exec(told)?.[0];
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + WAIT_MS;
  while (!holds()) {
    if (performance.now() > deadlineMs) throw new Error(`waited ${WAIT_MS} ms in vain for: ${what}`);
    await sleep(POLL_MS);
  }
}

/** Variables of one block are there in the next. */
const VARIABLES = join(folder, 'variables.sh');
writeFileSync(VARIABLES, '');

async function bash(code: string): Promise<void> {
  const script = `set -ea\nsource ${VARIABLES}\n${code}\nexport -p > ${VARIABLES}\n`;
  const child = spawn('bash', ['-c', script], { cwd: folder });
  const [out, err, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.on('close', resolve)),
  ]);
  if (status !== 0) throw new Error(`exit code ${status} of:\n${code}\n${out}${err}`);
  const lines = `${out}${err}`.split('\n').map((line) => line.trim().replaceAll(/\s+/g, ' '));
  for (const [, words = ''] of code.matchAll(/^# → (.+)$/gm)) {
    if (!lines.some((line) => patternOf(words.trim()).test(line))) missing.push(`${words} in: ${lines.join('\n')}`);
  }
}

/** A block of the shell, in its place among those of TypeScript. */
export async function sh(code: string): Promise<void> {
  const filled = (await Promise.all(code.split('\n').map(withIds))).join('\n');
  const listening = filled.match(/^npx fatura (listen .+)$/m);
  if (listening !== null) return listen((listening[1] ?? '').split(' #')[0]?.trim().split(/\s+/) ?? []);
  await bash(filled);
}

/** Waits for what is still to be printed, such as what a webhook brings. */
export async function end(places: number): Promise<void> {
  const wanted: number[] = JSON.parse(readFileSync(join(folder, 'wanted.json'), 'utf8'));
  const isThere = (_: unknown, place: number): boolean => (printed[place]?.length ?? 0) >= (wanted[place] ?? 0);
  await until('everything to be printed', () => Array.from({ length: places }).every(isThere)).catch(() => {});
  const told: Told = { lines: Array.from({ length: places }, (_, place) => printed[place] ?? []), missing };
  writeFileSync(join(folder, 'told.json'), JSON.stringify(told));
  process.exit(0);
}
