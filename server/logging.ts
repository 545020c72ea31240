import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { codeOf } from './kernel/errors.ts';

const SQLSTATE = /^[0-9A-Z]{5}$/;
const CAUSES_MAX = 5;

const isDatabaseError = (error: Error): boolean => SQLSTATE.test(codeOf(error) ?? '') && 'severity' in error;

const framesOf = (error: Error): string[] => (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));

const textOf = (error: Error, name: string): string | null => {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : null;
};

/** A database tells the whole row that it refused, and the ORM repeats it with the statement's values: customers' data. */
function withoutRow(error: Error) {
  const told = ['code', 'constraint', 'table', 'column', 'routine'] as const;
  return {
    type: error.name,
    ...Object.fromEntries(told.map((name) => [name, textOf(error, name)])),
    frames: framesOf(error),
  };
}

/** What a log shows of an error: nothing of the data that a database error carries, at any depth of causes. */
export function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' ? '[object]' : String(error);
  if (isDatabaseError(error)) return withoutRow(error);
  const { cause } = error;
  if (cause instanceof Error && depth < CAUSES_MAX) {
    return {
      type: error.name,
      message: error.message,
      frames: framesOf(error),
      cause: serializeError(cause, depth + 1),
    };
  }
  return stdSerializers.err(error);
}

/** The log of one of our processes. */
export function createLogger(options: {
  level: string;
  process: 'api' | 'worker';
  /** Where lines go; standard output unless said otherwise. */
  destination?: DestinationStream;
}): Logger {
  const settings = {
    level: options.level,
    base: { process: options.process },
    redact: ['authorization', '*.authorization', '*.secret', 'card', '*.card', 'cvc', '*.cvc', 'token', '*.token'],
    serializers: { err: (error: unknown) => serializeError(error) },
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}
