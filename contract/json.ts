/** Most levels of objects and lists in a body. */
export const JSON_DEPTH_MAX = 32;

/** Most fields of all objects in a body together; the largest body that a route takes has some 1,700. */
export const JSON_FIELDS_MAX = 2_000;

/** Most fields and entries of all objects and lists in a body together; the largest body that a route takes has some 4,400. */
export const JSON_VALUES_MAX = 5_000;

const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether a JSON value has more levels; what lies deeper is not looked at, so that no value overflows the stack. */
export const isDeeperThan = (value: unknown, levels: number): boolean =>
  isTree(value) && (levels === 0 || Object.values(value).some((part) => isDeeperThan(part, levels - 1)));

/** NUL and lone surrogates as `JSON.stringify` writes them; after an escaped backslash the same letters are plain text. */
const ESCAPED_UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/** Whether the text of a JSON value, no deeper than a body may be, holds nothing that the database cannot store. */
export const isStorable = (value: unknown): boolean => !ESCAPED_UNSTORABLE.test(JSON.stringify(value));

/** Bytes of a JSON value as text; the value is no deeper than a body may be. */
export const jsonBytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/** Stands in a parsed body for a number that no double holds in the value that was written. */
export class InexactNumber {
  readonly literal: string;
  constructor(literal: string) {
    this.literal = literal;
  }
}

/** What of a JSON value could not be returned as it came. */
export interface JsonFlaw {
  readonly path: PropertyKey[];
  readonly message: string;
}

/** An object that is made of another's fields takes this one for its prototype, and loses it. */
const PROTOTYPE = '__proto__';

/** The flaws of a value that is no deeper than a body may be. */
export function* flawsIn(value: unknown, path: PropertyKey[] = []): Generator<JsonFlaw> {
  if (value instanceof InexactNumber)
    yield { path, message: 'must be a number that a double holds in the same value: send it as a string' };
  else if (Array.isArray(value)) for (const [at, part] of value.entries()) yield* flawsIn(part, [...path, at]);
  else if (isTree(value)) {
    for (const [name, part] of Object.entries(value)) {
      if (name === PROTOTYPE) yield { path: [...path, name], message: 'must have another name, which can be kept' };
      else yield* flawsIn(part, [...path, name]);
    }
  }
}
