import { type Command, InvalidArgumentError, type Option } from 'commander';
import type { Config } from '../config.ts';
import type { LoggedTx } from '../db/audit-log.ts';
import type { Database } from '../db/database.ts';
import { SECOND_MS } from '../kernel/time.ts';

/** Opens the database of the instance to be read, does the work by its settings, and closes it: there nothing can be written. */
export type WithDatabase = <T>(work: (database: Database, config: Config) => Promise<T>) => Promise<T>;

/** Does the work in one transaction on behalf of the operator; it commits only with an entry in the audit log (docs/design/audit-log.md#operators). */
export type WithChange = <T>(work: (tx: LoggedTx, config: Config) => Promise<T>) => Promise<T>;

/** Adds commands to the program. */
export type AddCommands = (program: Command, withDatabase: WithDatabase, withChange: WithChange) => void;

export function integerWithin(limits: { min: number; max: number }) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= limits.min && value <= limits.max) return value;
    throw new InvalidArgumentError(`must be a whole number from ${limits.min} to ${limits.max}`);
  };
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
