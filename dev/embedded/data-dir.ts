import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../../server/config.ts';
import { ringProblem } from '../../server/kernel/key-ring.ts';
import { makeFolder, readIfThere, writePrivately } from './files.ts';
import { FolderInUse, type FolderLock, isFolderLocked, lockFolder } from './lock.ts';

/** Of the lock that the running `npm start` holds. */
const PURPOSE = 'fatura';

const schema = z.object({
  /** Of the operator CLI. */
  databaseUrl: z.string(),
  auditUrl: z.string(),
  temporalAddress: z.string(),
  apiUrl: z.string(),
  /** Null: the keys came from ENCRYPTION_KEYS. */
  encryptionKeyFile: z.string().nullable(),
});

/** How the operator CLI and the audit reach what `npm start` runs. */
export type RunningInstance = z.infer<typeof schema>;

const instanceFile = (dataDir: string) => join(dataDir, 'running.json');

/** Null when nothing runs on that folder. */
export function readRunningInstance(dataDir: string): RunningInstance | null {
  const text = readIfThere(instanceFile(dataDir));
  if (text === null || !isFolderLocked({ folder: dataDir, purpose: PURPOSE })) return null;
  return schema.parse(JSON.parse(text));
}

export function writeRunningInstance(dataDir: string, instance: RunningInstance): void {
  writePrivately(instanceFile(dataDir), `${JSON.stringify(instance, null, 2)}\n`);
}

/** Takes the folder for one `npm start`; `path` is its one name, whatever links lead there. */
export function claimDataDir(dataDir: string): FolderLock & { path: string } {
  try {
    makeFolder(dataDir);
    const lock = lockFolder({ folder: dataDir, purpose: PURPOSE });
    rmSync(instanceFile(dataDir), { force: true }); // of a killed start
    return { ...lock, path: realpathSync(dataDir) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new Error(
      error instanceof FolderInUse
        ? `Fatura already runs here: ${reason}. Stop that one first, or give this one a folder and ports of its own ` +
            '(DATA_DIR, PORT, TEMPORAL_UI_PORT).'
        : `DATA_DIR: ${dataDir} cannot be made or written to (${reason}); set DATA_DIR to a folder of your own.`,
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
