import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openPool } from '../../server/db/database.ts';
import { openAwsKms } from '../../server/sealing/kms/aws.ts';
import type { Kms } from '../../server/sealing/kms/port.ts';
import { openVault } from '../../server/sealing/kms/vault.ts';
import { openKeyRing } from '../../server/sealing/managed-ring.ts';
import { createDatabase } from '../support/database.ts';
import { AWS_ARN, startAwsKms, startVault, type TestKms } from '../support/kms.ts';

let aws: Awaited<ReturnType<typeof startAwsKms>>;
let vault: Awaited<ReturnType<typeof startVault>>;

beforeAll(async () => {
  aws = await startAwsKms();
  vault = await startVault();
});
afterAll(() => Promise.all([aws.stop(), vault.stop()]));
beforeEach(() => {
  for (const [name, value] of Object.entries(aws.settings)) vi.stubEnv(name, value);
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const kms of [aws, vault]) kms.mood = 'well';
});

const access = () => ({ address: vault.url, token: vault.settings.VAULT_TOKEN, namespace: 'billing' });

const services: [name: string, open: () => Promise<Kms>, service: () => TestKms, refused: string, away: RegExp][] = [
  [
    'AWS KMS',
    () => openAwsKms({ arn: AWS_ARN, region: 'sa-east-1' }),
    () => aws,
    'AWS KMS refuses: AccessDeniedException: the role may not use the key',
    /^AWS KMS does not answer: /,
  ],
  [
    'Vault',
    async () => openVault({ mount: 'secrets/transit', key: 'fatura' }, access()),
    () => vault,
    'Vault refuses: status 403, permission denied',
    /^Vault does not answer: /,
  ],
];

describe.each(services)('%s', (_name, open, service, refused, away) => {
  test('wraps a key that it alone unwraps', async () => {
    const kms = await open();
    const key = randomBytes(32);
    const wrapped = await kms.wrap(key);
    expect(wrapped).not.toContain(key.toString('base64'));
    expect(Buffer.from(await kms.unwrap(wrapped))).toEqual(key);
    expect(await kms.wrap(key)).not.toBe(wrapped);
  });

  test('says that it refuses, and is not asked again', async () => {
    const kms = await open();
    service().mood = 'denies';
    const before = service().calls;
    await expect(kms.wrap(randomBytes(32))).rejects.toThrow(refused);
    expect(service().calls - before).toBe(1);
  });

  test('says that it does not answer, after three tries', async () => {
    const kms = await open();
    service().mood = 'away';
    const before = service().calls;
    await expect(kms.wrap(randomBytes(32))).rejects.toThrow(away);
    expect(service().calls - before).toBe(3);
  });
});

async function newDatabase() {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  const pool = openPool(url, { size: 4 });
  onTestFinished(() => pool.end());
  return pool;
}

const idsOf = ({ keys }: { keys: readonly { id: string }[] }) => keys.map(({ id }) => id);

test('processes that start at once on an empty database have one key; a database that was restored has it again', async () => {
  const pool = await newDatabase();
  const text = `${aws.reference},${vault.reference},${vault.reference}#2`;
  const open = () => openKeyRing(text, { target: pool, vault: access() }, { makes: true });
  const rings = await Promise.all(Array.from({ length: 6 }, open));
  const [ids = []] = rings.map(idsOf);
  expect(new Set(ids).size).toBe(3);
  expect(rings.map(idsOf)).toEqual(rings.map(() => ids));
  expect((await pool.query('SELECT reference FROM wrapped_key ORDER BY 1')).rows).toEqual(
    text.split(',').map((reference) => ({ reference })),
  );
  const { rows: backup } = await pool.query('SELECT * FROM wrapped_key');
  await pool.query('TRUNCATE wrapped_key');
  await expect(openKeyRing(text, { target: pool, vault: access() }, { makes: false })).rejects.toThrow(
    `no process has started with the key ${aws.reference} yet`,
  );
  for (const { reference, wrapped } of backup)
    await pool.query('INSERT INTO wrapped_key (reference, wrapped) VALUES ($1, $2)', [reference, wrapped]);
  expect(idsOf(await open())).toEqual(ids);
});
