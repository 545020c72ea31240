import { z } from 'zod';
import { isDeeperThan, JSON_DEPTH_MAX, jsonBytes } from '../../contract/json.ts';
import { METADATA_BYTES_MAX } from '../../contract/metadata.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Stands for each entry of a list. */
const EACH = Symbol('each');
type Step = string | typeof EACH;

/** Where a body has a text of a known kind. */
export interface SchemaPath<Kind> {
  readonly path: readonly Step[];
  readonly kind: Kind;
}

/** The places in a body whose schema has a kind. */
export function placesIn<Kind>(
  schema: unknown,
  kindOf: (schema: z.ZodType) => Kind | undefined,
  path: readonly Step[] = [],
): SchemaPath<Kind>[] {
  if (!(schema instanceof z.ZodType)) return [];
  const kind = kindOf(schema);
  if (kind !== undefined) return [{ path, kind }];
  const inside = (part: unknown, ...steps: Step[]) => placesIn(part, kindOf, [...path, ...steps]);
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([name, part]) => inside(part, name));
  }
  if (schema instanceof z.ZodArray) return inside(schema.element, EACH);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => inside(option));
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return inside(schema.unwrap());
  return [];
}

interface Found {
  readonly path: PropertyKey[];
  /** What it is a field or an entry of. */
  readonly beside: JsonObject;
}

interface FoundValue extends Found {
  readonly value: unknown;
}

interface FoundText extends Found {
  readonly text: string;
}

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

function namesAt(holder: JsonObject, step: Step): PropertyKey[] {
  if (step === EACH) return Array.isArray(holder) ? [...holder.keys()] : [];
  return Object.hasOwn(holder, step) ? [step] : [];
}

/** The values that a body has at a place. A place in a variant of a union finds nothing in a body of another variant, whose fields it does not have. */
function valuesAt(holder: unknown, [step, ...rest]: readonly Step[], path: PropertyKey[] = []): FoundValue[] {
  if (step === undefined || !isObject(holder)) return [];
  return namesAt(holder, step).flatMap((name) => {
    const value: unknown = Reflect.get(holder, name);
    const at = [...path, name];
    return rest.length > 0 ? valuesAt(value, rest, at) : [{ path: at, value, beside: holder }];
  });
}

/** The texts of a JSON value: its strings, its numbers as they are written, and the names of its fields, which stand where their object does. */
function textsIn({ path, value, beside }: FoundValue): FoundText[] {
  if (typeof value === 'string') return [{ path, text: value, beside }];
  if (typeof value === 'number') return [{ path, text: String(value), beside }];
  if (!isObject(value)) return [];
  const names = Array.isArray(value) ? [] : [{ path, text: Object.keys(value).join('\n.\n'), beside }];
  const parts = Object.entries(value).map(([name, part]) => ({
    path: [...path, Array.isArray(value) ? Number(name) : name],
    value: part,
    beside: value,
  }));
  return [...names, ...parts.flatMap(textsIn)];
}

/** Larger values are not looked into: their own schema refuses them for their size. */
const isBounded = (value: unknown): boolean =>
  !isDeeperThan(value, JSON_DEPTH_MAX) && jsonBytes(value) <= METADATA_BYTES_MAX;

/** The texts that a body has at a place. */
export const textsAt = (body: unknown, path: readonly Step[]): FoundText[] =>
  valuesAt(body, path).flatMap(({ value, ...found }) => (typeof value === 'string' ? [{ ...found, text: value }] : []));

/** The texts in the values that a body has at a place. */
export const textsWithin = (body: unknown, path: readonly Step[]): FoundText[] =>
  valuesAt(body, path)
    .filter(({ value }) => isBounded(value))
    .flatMap(textsIn);
