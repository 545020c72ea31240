import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { loginUrls } from '../../dev/embedded/postgres-logins.ts';
import { openPool } from '../../server/db/database.ts';
import { runAdmin } from '../support/admin.ts';
import { sdkFor } from '../support/api.ts';
import { createDatabase } from '../support/database.ts';
import { newInvoice } from '../support/factories.ts';
import { startAwsKms, startVault } from '../support/kms.ts';
import { startServer } from '../support/server-process.ts';
import { until } from '../support/stack.ts';

const TEST_MS = 240_000;

async function scene() {
  const aws = await startAwsKms();
  const vault = await startVault();
  const { url, drop } = await createDatabase();
  const pool = openPool(url, { size: 2 });
  onTestFinished(async () => {
    await pool.end();
    await drop();
    await Promise.all([aws.stop(), vault.stop()]);
  });
  return { aws, vault, databaseUrl: url, pool };
}

test('a process seals with a key of a KMS and asks that at its start alone; one that gives no key ends the start', {
  timeout: TEST_MS,
}, async () => {
  const { aws, vault, databaseUrl, pool } = await scene();
  const plain = randomBytes(32);
  const target = { databaseUrl, encryptionKey: plain };
  const base64 = plain.toString('base64');
  const withKeys = (...keys: string[]) => ({
    ...aws.settings,
    ...vault.settings,
    ENCRYPTION_KEY: '',
    ENCRYPTION_KEYS: keys.join(','),
  });
  const admin = async (settings: Record<string, string>, ...args: string[]) => {
    const { code, out, err } = await runAdmin(target, args, settings);
    return {
      code,
      err,
      lines: out
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    };
  };
  const serving = async (
    settings: Record<string, string>,
    work: (baseUrl: string) => Promise<void> = async () => {},
  ) => {
    const server = await startServer({ ...target, settings });
    try {
      await work(server.baseUrl);
    } finally {
      await server.stop();
    }
  };
  const wrappedNow = async () =>
    (await pool.query('SELECT wrapped FROM wrapped_key WHERE reference = $1', [vault.reference])).rows[0]?.wrapped;

  /** Until no process of the former key was seen lately; answers what it printed at first. */
  const sealsAnew = async (...keys: string[]) => {
    const printed: unknown[] = [];
    await until('the former key to be out of use', async () => {
      const { code, lines } = await admin(withKeys(...keys), 'key', 're-encrypt');
      printed.push(...lines);
      return code === 0;
    });
    return printed;
  };

  // From a key of the environment to one of Vault, by the steps of docs/operations.md#changing-the-encryption-key.
  await serving(withKeys(base64));
  const {
    lines: [account],
  } = await admin(withKeys(base64), 'account', 'create', '--name', 'Loja', '--email', 'dono@loja.test');
  await serving(withKeys(base64, vault.reference));
  await serving(withKeys(vault.reference, base64), async (baseUrl) => {
    const before = vault.calls;
    const fatura = sdkFor(baseUrl, account.sandbox_key);
    const customer = { name: 'Maria', identifier: '529.982.247-25', email: 'maria@example.com' } as const;
    const { id } = await fatura.customers.create(customer);
    expect(await fatura.customers.retrieve(id)).toMatchObject({ name: 'Maria' });
    expect(vault.calls).toBe(before);
  });
  const wrapped = await wrappedNow();
  vault.rotate();
  const printed = await sealsAnew(vault.reference, base64);
  expect(printed).toContainEqual({ key: vault.reference, wrapped_anew: true });
  expect(wrapped).toMatch(/^vault:v1:/);
  expect(await wrappedNow()).toMatch(/^vault:v2:/);
  // And on to one of AWS, without the former.
  await serving(withKeys(vault.reference, aws.reference));
  await serving(withKeys(aws.reference, vault.reference));
  await sealsAnew(aws.reference, vault.reference);
  await serving(withKeys(aws.reference), async (baseUrl) => {
    const { id: accountId, sandbox_key: sandboxKey, live_key: liveKey } = account;
    const shop = {
      accountId,
      sandboxKey,
      liveKey,
      fatura: sdkFor(baseUrl, sandboxKey),
      live: sdkFor(baseUrl, liveKey),
    };
    const { id } = await newInvoice(shop);
    const asApi = { ...withKeys(aws.reference), DATABASE_URL: loginUrls(databaseUrl).api };
    expect((await admin(asApi, 'invoice', 'void', id)).lines).toEqual([{ invoice: id, status: 'void' }]);
  });

  const startFails = async (mood: 'denies' | 'away') => {
    aws.mood = mood;
    const env = { ...process.env, DATABASE_URL: loginUrls(databaseUrl).api, PORT: '1', ...withKeys(aws.reference) };
    const child = spawn(process.execPath, ['server/main.ts'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    return { code, err };
  };
  expect(await startFails('denies')).toEqual({
    code: 1,
    err: 'ENCRYPTION_KEYS cannot be read: AWS KMS refuses: AccessDeniedException: the role may not use the key\n',
  });
  expect(await startFails('away')).toEqual({
    code: 1,
    err: expect.stringMatching(/^ENCRYPTION_KEYS cannot be read: AWS KMS does not answer: /),
  });
});
