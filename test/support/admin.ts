import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { vi } from 'vitest';
import { loginUrls } from '../../dev/embedded/postgres-logins.ts';
import { adminProgram } from '../../ops/admin/program.ts';
import type { RealTimeApi } from './api.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');

type Target = Pick<RealTimeApi, 'databaseUrl' | 'encryptionKey'>;

const environmentOf = ({ databaseUrl, encryptionKey }: Target) => ({
  DATABASE_URL: loginUrls(databaseUrl).admin,
  ENCRYPTION_KEY: Buffer.from(encryptionKey).toString('base64'),
});

/** Runs a command in this process: what it printed, one value a line; what it refuses is thrown. */
export async function adminHere(
  target: Target,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  const program = adminProgram({ ...environmentOf(target), ...settings });
  const quiet = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: () => {} });
    command.commands.forEach(quiet);
  };
  quiet(program);
  try {
    await program.parseAsync(args, { from: 'user' });
  } finally {
    log.mockRestore();
    // A probe that finds something says so by the exit code of its process, which is ours.
    process.exitCode = undefined;
  }
  return lines.map((line) => JSON.parse(line));
}

/** Runs the operator CLI on the database of a test; `input` is its standard input, if any. */
export async function runAdmin(
  target: Target,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  input: string | null = null,
): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(process.execPath, ['ops/admin/main.ts', ...args], {
    cwd: REPOSITORY,
    env: {
      PATH: process.env.PATH,
      ...environmentOf(target),
      ...settings,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input ?? '');
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, out, err };
}
