import { z } from 'zod';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Stands for each entry of a list. */
const EACH = Symbol('each');
type Step = string | typeof EACH;

/** Where a body has a text of a known kind. */
export interface Place<Kind> {
  readonly path: readonly Step[];
  readonly kind: Kind;
}

/** The places in a body whose schema has a kind. */
export function placesIn<Kind>(
  schema: unknown,
  kindOf: (schema: z.ZodType) => Kind | undefined,
  path: readonly Step[] = [],
): Place<Kind>[] {
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

export interface FoundText {
  readonly path: PropertyKey[];
  readonly text: string;
  readonly beside: JsonObject;
}

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

function namesAt(holder: JsonObject, step: Step): PropertyKey[] {
  if (step === EACH) return Array.isArray(holder) ? [...holder.keys()] : [];
  return Object.hasOwn(holder, step) ? [step] : [];
}

/** The texts that a body has at a place. A place in a variant of a union finds nothing in a body of another variant, whose fields it does not have. */
export function textsAt(holder: unknown, [step, ...rest]: readonly Step[], path: PropertyKey[] = []): FoundText[] {
  if (step === undefined || !isObject(holder)) return [];
  return namesAt(holder, step).flatMap((name) => {
    const value: unknown = Reflect.get(holder, name);
    const at = [...path, name];
    if (rest.length > 0) return textsAt(value, rest, at);
    return typeof value === 'string' ? [{ path: at, text: value, beside: holder }] : [];
  });
}
