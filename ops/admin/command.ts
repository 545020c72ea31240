import { type Command, InvalidArgumentError, type Option } from 'commander';
import type pg from 'pg';
import { encryptionKeysOf } from '../../dev/embedded/data-dir.ts';
import type { Changer, LoggedTx } from '../../server/audit-log/audit-log.ts';
import type { Config } from '../../server/config.ts';
import type { Database } from '../../server/db/database.ts';
import { SECOND_MS } from '../../server/kernel/time.ts';
import { ringAccess } from '../../server/open-ring.ts';
import { createKeyProof, newProcessRing, openReadingBox } from '../../server/sealing/key-check.ts';
import { tellStopped } from '../../server/sealing/key-watch.ts';
import { openKeyRing } from '../../server/sealing/managed-ring.ts';
import { createSecretBox, type SecretBox } from '../../server/sealing/secret-box.ts';

/** The keys of the settings; of one that a KMS wraps, what a process has kept of it. */
export const ringOfSettings = (target: pg.Pool | pg.ClientBase, config: Config) =>
  openKeyRing(encryptionKeysOf(config).keys, ringAccess(target, config), { makes: false });

/** Shows the database that the keys of the settings are its own, and answers a box that seals and opens with them. */
export async function provenBox(client: pg.ClientBase, config: Config): Promise<SecretBox> {
  const processRing = newProcessRing(createSecretBox(await ringOfSettings(client, config)), `admin/${process.pid}`);
  await createKeyProof(processRing)(client);
  // Nobody waits for a command that has ended.
  await tellStopped(client, processRing);
  return processRing.box;
}

/** The same to open and to look for alone, where nothing can be written. */
export const readingBox = async ({ pool }: Pick<Database, 'pool'>, config: Config): Promise<SecretBox> =>
  openReadingBox(pool, await ringOfSettings(pool, config));

/** Opens the database of the instance to be read, does the work by its settings, and closes it: there nothing can be written. */
export type WithDatabase = <T>(work: (database: Database, config: Config) => Promise<T>) => Promise<T>;

/** Does the work in one transaction on behalf of the operator; it commits only with an entry in the audit log (docs/design/audit-log.md#operators). */
export type WithChange = <T>(work: (tx: LoggedTx, config: Config) => Promise<T>) => Promise<T>;

/** An operator with connections that can write. */
export interface OperatorChanger extends Changer {
  readonly pool: pg.Pool;
}

/** For what cannot be one transaction: entries of the log stand around it. */
export type WithChanger = <T>(work: (changer: OperatorChanger, config: Config) => Promise<T>) => Promise<T>;

/** Adds commands to the program. */
export type AddCommands = (program: Command, withDatabase: WithDatabase, withChange: WithChange) => void;

export function integerWithin(limits: { min: number; max: number }) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= limits.min && value <= limits.max) return value;
    throw new InvalidArgumentError(`must be a whole number from ${limits.min} to ${limits.max}`);
  };
}

/** Reads an argument by a rule that throws with words for an operator. */
export function readArgument<T>(text: string, read: (text: string) => T): T {
  try {
    return read(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

/** An instant in Unix seconds or ISO 8601; NaN where a text is neither. */
export const instantOf = (text: string): number =>
  /^\d{1,12}$/.test(text) ? Number(text) : Date.parse(text) / SECOND_MS;

/** A change of nothing is a mistyped command, not a success. */
export function refuseNoOptions(command: Command, changes: readonly Option[] = command.options): void {
  if (changes.some((option) => command.getOptionValue(option.attributeName()) !== undefined)) return;
  throw new Error(`Nothing to change: give at least one of ${changes.map(({ long }) => long).join(', ')}`);
}

/** One JSON object or one a line: for scripts as for people. */
export const print = (value: unknown): void => console.log(JSON.stringify(value));
