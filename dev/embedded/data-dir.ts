import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Config } from '../../server/config.ts';
import { ringProblem } from '../../server/kernel/key-ring.ts';
import { makeFolder, readIfThere, writePrivately } from './files.ts';

/** Longer than somebody else needs to look whether the folder is locked. */
const LOOK_MS = 300;

const schema = z.object({
  /** Of the operator CLI. */
  databaseUrl: z.string(),
  auditUrl: z.string(),
  /** Of operator commands that do what the API does. */
  apiDatabaseUrl: z.string(),
  temporalAddress: z.string(),
  apiUrl: z.string(),
  /** Null: the keys came from ENCRYPTION_KEYS. */
  encryptionKeyFile: z.string().nullable(),
});

/** How the operator CLI and the audit reach what `npm start` runs. */
export type RunningInstance = z.infer<typeof schema>;

const instanceFile = (dataDir: string) => join(dataDir, 'running.json');

const SQLITE_BUSY = 5;

/**
 * One holder for a folder; null: another process has it. The lock is SQLite's on an empty database, so the system
 * frees it however the holder ends, and two that start at once cannot both get it.
 */
function tryLock(dataDir: string, { waitMs }: { waitMs: number }): DatabaseSync | null {
  const database = new DatabaseSync(join(dataDir, 'fatura.lock'), { timeout: waitMs });
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'); // a journal file would outlive a kill
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return null;
    throw error;
  }
}

/** Null when nothing runs on that folder. */
export function readRunningInstance(dataDir: string): RunningInstance | null {
  const text = readIfThere(instanceFile(dataDir));
  if (text === null) return null;
  const lock = tryLock(dataDir, { waitMs: 0 });
  lock?.close();
  return lock === null ? schema.parse(JSON.parse(text)) : null;
}

export function writeRunningInstance(dataDir: string, instance: RunningInstance): void {
  writePrivately(instanceFile(dataDir), `${JSON.stringify(instance, null, 2)}\n`);
}

/** Takes the folder for one `npm start`; `path` is its one name, whatever links lead there. */
export function claimDataDir(dataDir: string): { path: string; release(): void } {
  const lock = lockOrExplain(dataDir);
  const holder = join(dataDir, 'fatura.pid');
  if (lock === null) {
    throw new Error(
      `Fatura already runs here: ${dataDir} is in use by process ${readIfThere(holder) ?? '(not recorded yet)'}. ` +
        'Stop that one first, or give this one a folder and ports of its own (DATA_DIR, PORT, TEMPORAL_UI_PORT).',
    );
  }
  writePrivately(holder, String(process.pid));
  rmSync(instanceFile(dataDir), { force: true }); // of a killed start
  return { path: realpathSync(dataDir), release: () => lock.close() };
}

function lockOrExplain(dataDir: string): DatabaseSync | null {
  try {
    makeFolder(dataDir);
    return tryLock(dataDir, { waitMs: LOOK_MS });
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new Error(
      `DATA_DIR: ${dataDir} cannot be made or written to (${reason}); set DATA_DIR to a folder of your own.`,
    );
  }
}

/** A file may hold a ring, too, while its key is changed. */
function ringIn(text: string, file: string): string {
  const problem = ringProblem(text);
  if (problem !== null) throw new Error(`${file} must hold keys in base64, separated by commas: ${problem}`);
  return text;
}

/** The key is as old as the database: made anew, it would leave every stored secret unreadable. */
export function encryptionKeysOf({ encryptionKeys, dataDir }: Config): { keys: string; file: string | null } {
  if (encryptionKeys) return { keys: encryptionKeys.reveal(), file: null };
  const file = join(dataDir, 'encryption.key');
  const kept = readIfThere(file)?.trim();
  if (kept) return { keys: ringIn(kept, file), file };
  if (existsSync(join(dataDir, 'postgres'))) {
    throw new Error(`${file} is missing, and the database beside it needs it. Put it back, or set ENCRYPTION_KEYS.`);
  }
  const key = randomBytes(32).toString('base64');
  writePrivately(file, key);
  return { keys: key, file };
}
