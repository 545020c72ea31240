import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Private, except that root's PostgreSQL runs under another account and has to pass through. */
export function makeFolder(path: string): void {
  if (existsSync(path)) {
    if (!statSync(path).isDirectory()) throw new Error(`${path} is not a folder`);
    return;
  }
  // Level by level: Node's own recursion never returns where the system makes no folders, as in /proc.
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    if (process.getuid?.() === 0) chmodSync(path, 0o711);
  } catch (error) {
    if (!existsSync(path)) throw error; // else another start made it meanwhile
  }
}

export function readIfThere(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** Only the owner may read it; a crash leaves the former content or the new, never a part. */
export function writePrivately(path: string, text: string): void {
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  renameSync(draft, path);
}
