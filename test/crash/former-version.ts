import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const REPOSITORY = resolve(import.meta.dirname, '../..');

/** The last commit whose schema ends with 0042. Its programs are run by the paths that they had then. */
const COMMIT = 'b0ce1d0';

/** The code of another version, in a folder of its own. */
export interface FormerVersion {
  readonly folder: string;
}

/** Null where the history of the repository is not here. */
export async function checkOutFormer(folder: string): Promise<FormerVersion | null> {
  mkdirSync(folder);
  try {
    const archive = execFileSync('git', ['archive', COMMIT], { cwd: REPOSITORY, maxBuffer: 1 << 28 });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
  } catch {
    return null;
  }
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
  await runIn(folder, ['scripts/web/build.ts'], {});
  return { folder };
}

/** Runs a program of a version to its end, and resolves to what it printed. */
export async function runIn(folder: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}: ${out}${err}`);
  return out;
}
