import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core';
import { z } from 'zod';
import type { contract } from '../../contract/index.ts';
import { evenWhenInvalid, type TextForm, textForms } from '../../contract/kernel.ts';
import { emptyBody } from '../../contract/router.ts';
import { requestSchema } from './request-schema.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** What is wrong with a text that should have a form, judged with the fields beside it; null when nothing is. */
export type TextFormChecks = Readonly<Record<TextForm, (text: string, beside: JsonObject) => string | null>>;

/** Stands for each entry of a list. */
const EACH = Symbol('each');
type Step = string | typeof EACH;

interface Place {
  readonly path: readonly Step[];
  readonly form: TextForm;
}

function placesOfForms(schema: unknown, path: readonly Step[] = []): Place[] {
  if (!(schema instanceof z.ZodType)) return [];
  const named = textForms.get(schema);
  if (named !== undefined) return [{ path, form: named.form }];
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([name, part]) => placesOfForms(part, [...path, name]));
  }
  if (schema instanceof z.ZodArray) return placesOfForms(schema.element, [...path, EACH]);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => placesOfForms(option, path));
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return placesOfForms(schema.unwrap(), path);
  return [];
}

interface Found {
  readonly path: PropertyKey[];
  readonly text: string;
  readonly beside: JsonObject;
}

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

function namesAt(holder: JsonObject, step: Step): PropertyKey[] {
  if (step === EACH) return Array.isArray(holder) ? [...holder.keys()] : [];
  return Object.hasOwn(holder, step) ? [step] : [];
}

/** A place in a variant of a union finds nothing in a body of another variant, whose fields it does not have. */
function textsAt(holder: unknown, [step, ...rest]: readonly Step[], path: PropertyKey[] = []): Found[] {
  if (step === undefined || !isObject(holder)) return [];
  return namesAt(holder, step).flatMap((name) => {
    const value: unknown = Reflect.get(holder, name);
    const at = [...path, name];
    if (rest.length > 0) return textsAt(value, rest, at);
    return typeof value === 'string' ? [{ path: at, text: value, beside: holder }] : [];
  });
}

function withTextForms(body: z.ZodType, checks: TextFormChecks): z.ZodType {
  const places = placesOfForms(body);
  if (places.length === 0) return body;
  return body.superRefine((value, context) => {
    for (const { path: steps, form } of places) {
      for (const { path, text, beside } of textsAt(value, steps)) {
        const problem = checks[form](text, beside);
        if (problem !== null) context.addIssue({ code: 'custom', path, message: problem });
      }
    }
  }, evenWhenInvalid);
}

const noQuery = z.strictObject({});

/** The contract's schemas are zod's; a part that a route declares no schema for is held to `otherwise`. */
const zodOr = (schema: unknown, otherwise: z.ZodType): z.ZodType => (schema instanceof z.ZodType ? schema : otherwise);

function strictRoute(route: AppRoute, checks: TextFormChecks): AppRoute {
  const pathParams = requestSchema(zodOr(route.pathParams, z.unknown()));
  const query = requestSchema(zodOr(route.query, noQuery));
  const body = zodOr('body' in route ? route.body : undefined, emptyBody);
  // The library validates a body of any method, though its types know none of a GET.
  return { ...route, pathParams, query, body: requestSchema(withTextForms(body, checks)) } as AppRoute;
}

function strictRouter(router: AppRouter, checks: TextFormChecks): AppRouter {
  return Object.fromEntries(
    Object.entries(router).map(([name, part]) => [
      name,
      isAppRoute(part) ? strictRoute(part, checks) : strictRouter(part, checks),
    ]),
  );
}

/** The contract as the server holds requests to it: the forms of text are checked too, and a route without query parameters or a body takes none. */
export function strictContract(router: typeof contract, checks: TextFormChecks): typeof contract {
  // Each route keeps its shape; only what it refuses grows.
  return strictRouter(router, checks) as typeof contract;
}
