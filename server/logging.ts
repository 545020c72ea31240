import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { factsOfDatabaseError, framesOf } from './kernel/errors.ts';

const CAUSES_MAX = 5;

/** What a log shows of an error: nothing of the data that a database error carries, at any depth of causes. */
export function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' ? '[object]' : String(error);
  const facts = factsOfDatabaseError(error);
  if (facts !== null) return { type: error.name, ...facts, frames: framesOf(error) };
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
  process: 'api' | 'worker' | 'admin';
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
