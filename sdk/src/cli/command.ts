import type { ParseArgsConfig } from 'node:util';
import type { Environment } from './config.ts';

/** An option as its command declares it. */
export interface Option {
  readonly type: 'string' | 'boolean';
  /** The word for its value in the help. */
  readonly value?: string;
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;

/** The values of options by their names; absent where not given. */
export type Values = Readonly<Record<string, string | boolean | undefined>>;

/** What a command runs with. */
export interface Context {
  readonly values: Values;
  readonly operands: readonly string[];
  readonly env: Environment;
  /** Aborted when the user wants it to end (Ctrl-C). */
  readonly ended: AbortSignal;
  /** A line of the result. */
  say(line: string): void;
  /** A line beside the result. */
  tell(line: string): void;
}

export interface Command {
  /** As it is called: `events list`. */
  readonly name: string;
  /** What follows its name and its options, for the help: `<type>`. */
  readonly operands: string;
  readonly operandsMin: number;
  readonly operandsMax: number;
  readonly summary: string;
  /** What else the help says. */
  readonly details?: string;
  readonly options: Options;
  run(context: Context): Promise<void>;
}

/** Options that every command which asks the service takes. */
export const serviceOptions: Options = {
  'base-url': {
    type: 'string',
    value: 'url',
    help: 'Where the service runs; else FATURA_BASE_URL, else as at the login.',
  },
};

export const parseOptions = (options: Options): NonNullable<ParseArgsConfig['options']> =>
  Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, { type }]));

/** The value of an option that takes one. */
export function givenOf({ values }: Context, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}
