/** What an address says, before a screen has looked at it. */
export type RawSearch = Record<string, unknown>;

/** A text of an address; absent where it is none. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** One of a few words; absent where it is none of them. */
export const choiceOf = <T extends string>(value: unknown, choices: readonly T[]): T | undefined =>
  choices.find((one) => one === value);

/** The same without what is undefined: an address holds only what was chosen. */
export function known<T extends object>(search: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
