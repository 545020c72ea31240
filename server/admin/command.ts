import { type Command, InvalidArgumentError, type Option } from 'commander';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { createKeyProof, newWitness } from '../db/encryption-canary.ts';
import { tellStopped } from '../db/key-watch.ts';
import { createSecretBox, type SecretBox } from '../db/secret-box.ts';
import { encryptionKeysOf } from '../embedded/data-dir.ts';
import { ringOf } from '../kernel/key-ring.ts';

/** Shows the database that the keys of the settings are its own, and answers a box that seals and opens with them. */
export async function provenBox({ pool }: Database, config: Config): Promise<SecretBox> {
  const witness = newWitness(createSecretBox(ringOf(encryptionKeysOf(config).keys)), `admin/${process.pid}`);
  const client = await pool.connect();
  try {
    await createKeyProof(witness)(client);
    // Nobody waits for a command that has ended.
    await tellStopped(client, witness);
  } finally {
    client.release();
  }
  return witness.box;
}

/** Opens the database of the instance, does the work by its settings, and closes it. */
export type WithDatabase = (work: (database: Database, config: Config) => Promise<void>) => Promise<void>;

export function integerWithin(limits: { min: number; max: number }) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= limits.min && value <= limits.max) return value;
    throw new InvalidArgumentError(`must be a whole number from ${limits.min} to ${limits.max}`);
  };
}

/** A change of nothing is a mistyped command, not a success. */
export function refuseNoOptions(command: Command, changes: readonly Option[] = command.options): void {
  if (changes.some((option) => command.getOptionValue(option.attributeName()) !== undefined)) return;
  throw new Error(`Nothing to change: give at least one of ${changes.map(({ long }) => long).join(', ')}`);
}

/** One JSON object or one a line: for scripts as for people. */
export const print = (value: unknown): void => console.log(JSON.stringify(value));
