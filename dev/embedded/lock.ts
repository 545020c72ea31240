import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readIfThere, writePrivately } from './files.ts';

/** Longer than somebody else needs to look whether the folder is locked. */
const BUSY_TIMEOUT_MS = 300;
const SQLITE_BUSY = 5;

export class FolderInUse extends Error {
  override name = 'FolderInUse';
}

export type FolderLock = { release(): void };

type Wish = { folder: string; purpose: string };

const fileOf = ({ folder, purpose }: Wish) => join(folder, `${purpose}.lock`);

/**
 * One holder for a folder. The lock is SQLite's on an empty database, so the system frees it
 * however the holder ends, and two that start at once cannot both get it.
 */
export function lockFolder(wish: Wish): FolderLock {
  const database = open(fileOf(wish), BUSY_TIMEOUT_MS);
  const holderFile = `${fileOf(wish)}.pid`;
  if (database === null) {
    throw new FolderInUse(`${wish.folder} is in use by process ${readIfThere(holderFile) ?? '(not recorded yet)'}`);
  }
  writePrivately(holderFile, String(process.pid));
  return { release: () => database.close() };
}

export function isFolderLocked(wish: Wish): boolean {
  if (!existsSync(fileOf(wish))) return false;
  const database = open(fileOf(wish), 0);
  database?.close();
  return database === null;
}

/** Null when somebody else has it. */
function open(path: string, timeout: number): DatabaseSync | null {
  writeFileSync(path, '', { flag: 'a', mode: 0o600 }); // SQLite would make it readable by everybody
  const database = new DatabaseSync(path, { timeout });
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'); // a journal file would outlive a kill
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return null;
    throw error;
  }
}
