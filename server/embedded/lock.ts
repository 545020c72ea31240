import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readIfThere, writePrivately } from './files.ts';

const BUSY_TIMEOUT_MS = 300;
const SQLITE_BUSY = 5;

export class FolderInUse extends Error {
  override name = 'FolderInUse';
}

export type FolderLock = { release(): void };

type Wish = { folder: string; purpose: string };

/**
 * One holder for a folder. The lock is SQLite's on an empty database, so the system frees it
 * however the holder ends, and two that start at once cannot both get it.
 */
export function lockFolder({ folder, purpose }: Wish): FolderLock {
  const database = new DatabaseSync(join(folder, `${purpose}.lock`), { timeout: BUSY_TIMEOUT_MS });
  const holderFile = join(folder, `${purpose}.lock.pid`);
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'); // a file would outlive a kill
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new FolderInUse(`${folder} is in use by process ${readIfThere(holderFile) ?? '(not recorded yet)'}`);
  }
  writePrivately(holderFile, String(process.pid));
  return { release: () => database.close() };
}

export function isFolderLocked({ folder, purpose }: Wish): boolean {
  const path = join(folder, `${purpose}.lock`);
  if (readIfThere(path) === null) return false;
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
