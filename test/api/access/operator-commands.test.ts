import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminProgram } from '../../../ops/admin/program.ts';
import { changeLogged } from '../../../server/audit-log/audit-log.ts';
import { adminHere } from '../../support/admin.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer, newInvoice, newProduct } from '../../support/factories.ts';
import { settingsOfNobody } from '../../support/live-settings.ts';
import { newPerson } from '../../support/people.ts';
import { type MailServer, startMailServer } from '../../support/smtp.ts';
import { subscribe } from '../../support/subscriptions.ts';

const MANY_COMMANDS_MS = 120_000;
let api: TestApi;
let shop: Merchant;
let event: string;
let customer: string;
let folder: string;
let mailServer: MailServer;

beforeAll(async () => {
  api = await startApi();
  mailServer = await startMailServer();
  shop = await api.newMerchant();
  const { id } = await newProduct(shop);
  const { rows } = await api.composition.deps.pool.query('SELECT id FROM event WHERE object_id = $1', [id]);
  event = rows[0].id;
  customer = (await newCustomer(shop)).id;
  folder = mkdtempSync(join(tmpdir(), 'fatura-log-'));
  const settings = await settingsOfNobody();
  writeFileSync(join(folder, 'client.pem'), settings.certificate);
  writeFileSync(join(folder, 'client.key'), settings.key);
  writeFileSync(join(folder, 'secret'), 'segredo');
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await api.stop();
  await mailServer.stop();
});

const query = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await api.composition.deps.pool.query(text, values)).rows;

/** What the API does is done with its login. */
const OF_SERVICE = ['invoice refund', 'invoice void', 'invoice resend', 'subscription cancel', 'event resend'];

const admin = (...args: string[]) =>
  adminHere(api, args, {
    ...{ SMTP_URL: mailServer.url, MAIL_FROM: 'conta@loja.test' },
    ...(OF_SERVICE.includes(args.slice(0, 2).join(' ')) ? { DATABASE_URL: api.urls.api } : {}),
  });

const invoiceOf = async () => (await newInvoice(shop, { customer_id: customer })).id;

async function paidInvoice(): Promise<string> {
  const id = await invoiceOf();
  const { payment_intent: intent } = await shop.fatura.invoices.checkout(id, { payment_method_type: 'pix' });
  await shop.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
  return id;
}

const leaves = (command: Command, path: readonly string[] = []): string[] =>
  command.commands.length === 0
    ? [path.join(' ')]
    : command.commands.flatMap((below) => leaves(below, [...path, below.name()]));

const keyOf = async () => (await query<{ id: string }>('SELECT max(id) AS id FROM api_key'))[0]?.id ?? '';

const invitationOf = async () =>
  (await query<{ id: string }>('SELECT max(id) AS id FROM staff_invitation'))[0]?.id ?? '';

/** Somebody who works in the dashboard. */
const personOf = async () => (await newPerson(api, { accountId: shop.accountId, role: 'owner' })).email;

/** Every command with arguments under which it does its work, in an order in which it can; an option that makes it another is named. */
const commands: readonly (readonly [name: string, args: () => Promise<string[]> | string[]])[] = [
  ['account create', () => ['--name', 'Outra', '--email', 'outra@loja.test', '--clock', '1700000000']],
  ['account list', () => []],
  ['account set', () => [shop.accountId, '--email', 'maria@loja.test', '--tax-id', '12ABC34501DE35']],
  ['account set-limits', () => [shop.accountId, '--minute', '77000000']],
  ['key create', () => [shop.accountId, '--mode', 'sandbox', '--name', 'erp', '--network', '203.0.113.7']],
  ['key list', () => [shop.accountId]],
  ['key show', async () => [await keyOf()]],
  ['key set', async () => [await keyOf(), '--network', 'any']],
  ['key roll', async () => [await keyOf(), '--expire-hours', '0']],
  ['key revoke', async () => [await keyOf()]],
  ['key ring', () => []],
  ['key re-encrypt', () => []],
  [
    'acquirer set',
    () => {
      const options = {
        '--live': 'pix',
        '--profile': 'efi',
        '--client-id': 'client',
        '--client-secret-file': join(folder, 'secret'),
        '--certificate': join(folder, 'client.pem'),
        '--key': join(folder, 'client.key'),
        '--pix-key': 'dono@loja.test',
        '--base-url': 'https://127.0.0.1:1/v2',
        '--token-url': 'https://127.0.0.1:1/oauth/token',
      };
      return [shop.accountId, ...Object.entries(options).flat()];
    },
  ],
  ['acquirer test', () => [shop.accountId, '--live', 'pix']],
  ['acquirer set-rate', () => [shop.accountId, '--live', 'pix', '--charges-per-second', '40']],
  ['acquirer show', () => [shop.accountId, '--live', 'pix']],
  ['acquirer show --callback-url', () => [shop.accountId, '--live', 'pix']],
  ['acquirer list', () => []],
  ['acquirer forget-former', () => [shop.accountId, '--live', 'pix']],
  ['acquirer remove', () => [shop.accountId, '--live', 'pix']],
  ['event show', () => [event]],
  ['event resend', () => [event]],
  ['invoice refund', async () => [await paidInvoice(), '--rest', '--reference', 'T-1', '--yes']],
  ['invoice void', async () => [await invoiceOf()]],
  ['invoice resend', async () => [await invoiceOf()]],
  ['subscription cancel', async () => [(await subscribe(shop, { customer_id: customer })).id]],
  ['customer export', () => [customer, '--out', join(folder, 'export')]],
  ['delivery list', () => [event]],
  ['find', () => [event]],
  ['alarms', () => []],
  ['doctor', () => []],
  ['mail list', () => []],
  ['mail test', () => ['--to', 'ana@loja.test']],
  ['mail suppress', () => ['maria@loja.test']],
  ['mail suppressed', () => []],
  ['mail unsuppress', () => ['maria@loja.test']],
  ['mail release', () => ['--account', shop.accountId]],
  ['staff invite', () => ['--account', shop.accountId, '--email', 'dono@loja.test', '--role', 'owner']],
  ['staff list', () => [shop.accountId]],
  ['staff remove', async () => [shop.accountId, await invitationOf()]],
  ['staff reset', async () => ['--email', await personOf()]],
  ['sandbox set', () => [shop.accountId, '--latency', '5']],
  ['sandbox show', () => [shop.accountId]],
  ['sandbox reset', () => [shop.accountId]],
  ['log list', () => []],
  ['log heads', () => []],
  [
    'log compare',
    async () => {
      const path = join(folder, 'heads');
      writeFileSync(path, (await admin('log', 'heads')).map((head) => JSON.stringify(head)).join('\n'));
      return [path];
    },
  ],
];

/** What changes no row and leaves an entry all the same. */
const ASKED = [
  // Here is nothing former to forget, to seal anew or to let go; yet somebody asked for it.
  'acquirer forget-former',
  'key re-encrypt',
  'mail release',
  // What it does, it does at the PSP.
  'acquirer test',
  // What it prints is not its reader's.
  'acquirer show --callback-url',
  'customer export',
  'event show',
  'mail list',
  'mail suppressed',
];

/** What every row of the database comes to, but those of the log itself and of what processes tell of themselves. */
async function fingerprint(): Promise<string> {
  const tables = await query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c WHERE c.relkind = 'r'
       AND c.relnamespace IN ('public'::regnamespace, 'sandbox_bank'::regnamespace)
       AND c.relname NOT IN ('audit_log', 'audit_log_head', 'rate_limit', 'worker_heartbeat', 'encryption_ring', 'write_proof') ORDER BY 1`,
  );
  const sums = tables.map(({ name }) => `(SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM ${name} t)`);
  const [row] = await query<{ sum: string }>(`SELECT array_to_string(ARRAY[${sums.join(', ')}], ',') AS sum`);
  return row?.sum ?? '';
}

const entries = async () => (await query<{ id: string }>('SELECT id FROM audit_log ORDER BY id')).map(({ id }) => id);

describe('commands of operators', { timeout: MANY_COMMANDS_MS }, () => {
  test('are all held to the log', () => {
    const held = new Set(commands.map(([name]) => name.split(' --')[0]));
    expect([...held].sort()).toEqual(leaves(adminProgram({})).sort());
  });

  test.each(commands)('%s leaves an entry if, and only if, it does or hands out something', async (name, args) => {
    const given = await args();
    const [before, logged] = [await fingerprint(), await entries()];
    await admin(...name.split(' '), ...given);
    const isChange = (await fingerprint()) !== before;
    expect((await entries()).length > logged.length).toBe(isChange || ASKED.includes(name));
  });

  test('that read cannot write, whatever they try', async () => {
    const { openDatabase } = await import('../../../server/db/database.ts');
    const reading = await openDatabase(api.databaseUrl, { entities: [], size: 1, isReadOnly: true });
    await expect(reading.pool.query(`UPDATE account SET city = 'x'`)).rejects.toThrow('read-only transaction');
    await reading.close();
  });

  test('that change something without an entry change nothing', async () => {
    const { pool } = api.operator;
    const silent = changeLogged({ pool }, async (tx) => {
      await tx.pool.query(`UPDATE account SET city = 'NOWHERE'`);
    });
    await expect(silent).rejects.toThrow('a change without an entry in the audit log is not made');
    expect(await query(`SELECT id FROM account WHERE city = 'NOWHERE'`)).toEqual([]);
  });
});
