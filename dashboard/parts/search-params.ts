/** What an address says, before a screen has looked at it. */
export type RawSearch = Record<string, unknown>;

/** A text of an address; absent where it is none. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** One of a few words; absent where it is none of them. */
export const choiceOf = <T extends string>(value: unknown, choices: readonly T[]): T | undefined =>
  choices.find((one) => one === value);

/**
 * What a screen knows of its address. A field that is undefined stands there all the same: the router keeps what it was given of
 * every field that a screen says nothing of.
 */
export const known = <T extends object>(search: T): { [K in keyof T]?: T[K] } => search;
