import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';

const LOG_BYTES_MAX = 10 * 1024 * 1024;

/** Private, except that root's PostgreSQL runs under another account and has to pass through. */
export function makeFolder(path: string): void {
  // Level by level: Node's own recursion never returns where the system makes no folders, as in /proc.
  const { ancestor, missing } = nearestAncestor(resolve(path));
  if (!statSync(ancestor).isDirectory()) throw new Error(`${ancestor} is not a folder`);
  if (missing.length > 0) accessSync(ancestor, constants.W_OK | constants.X_OK);
  for (const level of missing) makeLevel(level);
}

/** What exists of a path, and the folders below it that do not, the highest first. */
function nearestAncestor(path: string): { ancestor: string; missing: string[] } {
  const missing: string[] = [];
  let ancestor = path;
  while (!existsSync(ancestor) && dirname(ancestor) !== ancestor) {
    missing.unshift(ancestor);
    ancestor = dirname(ancestor);
  }
  return { ancestor, missing };
}

function makeLevel(path: string): void {
  try {
    mkdirSync(path, { mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  } catch (error) {
    // Another start may have made it meanwhile.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Only the owner may read it; a crash leaves the former content or the new, never a part. */
export function writePrivately(path: string, text: string): void {
  const draft = `${path}.${process.pid}.draft`;
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}

/** Opens a log to append to; the last one is kept beside it once it is long. */
export function openLog(path: string): number {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes > LOG_BYTES_MAX) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

export function logTail({ path, lines }: { path: string; lines: number }): string {
  const log = readIfThere(path)?.trimEnd() ?? '';
  return log.split('\n').slice(-lines).join('\n');
}
