import { type Config, parseConfig } from './config.ts';
import { ConfigError } from './config-misfits.ts';
import { codeOf } from './kernel/errors.ts';

/** Ends a program that cannot do its work with one sentence for the operator. */
export function exitSaying(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}

/** The settings; all that is wrong with them ends the program. */
export function configOrExit(env: Record<string, string | undefined>): Config {
  try {
    return parseConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return exitSaying(error.message);
  }
}

/** Where a name has several addresses, Node tells of their failures in one error without a message of its own. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (codeOf(error) ?? error.name);
}
