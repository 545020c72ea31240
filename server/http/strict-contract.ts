import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core';
import { z } from 'zod';
import { evenWhenInvalid } from '../../contract/kernel.ts';
import { emptyBody } from '../../contract/router.ts';
import { type TextForm, textForms } from '../../contract/texts.ts';
import { requestSchema } from './request-schema.ts';
import { type JsonObject, placesIn, textsAt, textsWithin } from './schema-paths.ts';

/** What is wrong with a text that should have a form, judged with the fields beside it; null when nothing is. */
export type TextFormChecks = Readonly<Record<TextForm, (text: string, beside: JsonObject) => string | null>>;

/** A schema that also checks the texts that must have a form. */
export function withTextForms(schema: z.ZodType, checks: TextFormChecks): z.ZodType {
  const places = placesIn(schema, (part) => textForms.get(part)?.form);
  if (places.length === 0) return schema;
  return schema.superRefine((value, context) => {
    for (const { path: steps, kind: form } of places) {
      const found = form === 'free_object' ? textsWithin(value, steps) : textsAt(value, steps);
      for (const { path, text, beside } of found) {
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
  const pathParams = requestSchema(zodOr(route.pathParams, z.unknown()), 'the path');
  const query = requestSchema(withTextForms(zodOr(route.query, noQuery), checks), 'the query');
  const body = zodOr('body' in route ? route.body : undefined, emptyBody);
  // The library validates a body of any method, though its types know none of a GET.
  return { ...route, pathParams, query, body: requestSchema(withTextForms(body, checks), 'the body') } as AppRoute;
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
export function strictContract<Routes extends AppRouter>(router: Routes, checks: TextFormChecks): Routes {
  // Each route keeps its shape; only what it refuses grows.
  return strictRouter(router, checks) as Routes;
}
