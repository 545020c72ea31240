import { FaturaError } from '../index.ts';

/** What the command line asks for cannot be done; told as it stands, without a stack. */
export class CliFailure extends Error {}

/** The command line itself is wrong; the help of the command is told too. */
export class UsageFailure extends Error {}

/** What to tell of an error of the API: its words, its code, and what to quote. */
function apiText(error: FaturaError): string {
  const violations = error.errors.slice(1).map(({ message }) => `\n  ${message}`);
  const request = error.requestId === null ? '' : `, request ${error.requestId}`;
  return `${error.message}${violations.join('')} (${error.code}${request})`;
}

/** What to tell of whatever was thrown. */
export function textOf(error: unknown): string {
  if (error instanceof FaturaError) return apiText(error);
  return error instanceof Error ? error.message : String(error);
}
