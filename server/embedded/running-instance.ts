import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readIfThere, writePrivately } from './files.ts';
import { isFolderLocked } from './lock.ts';

/** The lock that the running `npm start` holds on its DATA_DIR. */
export const DATA_DIR_LOCK = 'fatura';

const schema = z.object({
  databaseUrl: z.string(),
  temporalAddress: z.string(),
  apiUrl: z.string(),
  /** Null: the key came from ENCRYPTION_KEY. */
  encryptionKeyFile: z.string().nullable(),
});

/** How the operator CLI reaches what `npm start` runs. */
export type RunningInstance = z.infer<typeof schema>;

const fileOf = (dataDir: string) => join(dataDir, 'running.json');

export function writeRunningInstance(dataDir: string, instance: RunningInstance): void {
  writePrivately(fileOf(dataDir), `${JSON.stringify(instance, null, 2)}\n`);
}

export function removeRunningInstance(dataDir: string): void {
  rmSync(fileOf(dataDir), { force: true });
}

/** Null when nothing runs on that folder, even if a killed start left its file there. */
export function readRunningInstance(dataDir: string): RunningInstance | null {
  const text = readIfThere(fileOf(dataDir));
  if (text === null || !isFolderLocked({ folder: dataDir, purpose: DATA_DIR_LOCK })) return null;
  return schema.parse(JSON.parse(text));
}
