import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { freePort } from '../../server/embedded/ports.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const ENCRYPTION_KEY = randomBytes(32).toString('base64');

async function run(program: string, env: Record<string, string>): Promise<{ code: number; err: string }> {
  const child = spawn(process.execPath, [program], {
    cwd: REPOSITORY,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code, err };
}

test('regression-45-a migration without its setting ends with one sentence', async () => {
  expect(await run('server/migrate.ts', {})).toEqual({
    code: 1,
    err: 'Set DATABASE_URL to the database to migrate; `npm start` migrates its own.\n',
  });
});

test.each(['server/migrate.ts', 'server/audit/main.ts'])(
  'regression-45-%s ends with one sentence where a setting is wrong or the database does not answer',
  async (program) => {
    const args = { DATABASE_URL: `postgres://app:secret@127.0.0.1:${await freePort()}/fatura`, ENCRYPTION_KEY };
    const dead = await run(program, args);
    expect(dead.code).toBe(1);
    const wrong = await run(program, { ...args, LOG_LEVEL: 'loud' });
    expect(wrong.code).toBe(1);
    expect(dead.err).toMatch(/^The database .*does not answer: connect ECONNREFUSED \S+\n$/);
    expect(wrong.err).toMatch(/^1 setting is wrong:\n {2}- LOG_LEVEL must be .*\n$/);
  },
);
