import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { loginUrls } from '../../server/embedded/postgres-logins.ts';
import type { RealTimeApi } from './api.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');

/** Runs the operator CLI on the database of a test; `input` is its standard input, if any. */
export async function runAdmin(
  { databaseUrl, encryptionKey }: Pick<RealTimeApi, 'databaseUrl' | 'encryptionKey'>,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  input: string | null = null,
): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(process.execPath, ['server/admin.ts', ...args], {
    cwd: REPOSITORY,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: loginUrls(databaseUrl).admin,
      ENCRYPTION_KEY: Buffer.from(encryptionKey).toString('base64'),
      ...settings,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input ?? '');
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, out, err };
}
