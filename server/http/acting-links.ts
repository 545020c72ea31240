import type { AppRoute } from '@ts-rest/core';
import type { z } from 'zod';
import { ACTING_LINK } from '../../contract/kernel.ts';
import { WrittenPage } from '../kernel/pages.ts';
import type { Answer } from './keyed.ts';
import { placesIn, type SchemaPath, textsAt } from './schema-paths.ts';

const isActing = (schema: z.ZodType): true | undefined => (schema.meta()?.[ACTING_LINK] === true ? true : undefined);

/** By the schema of an answer; there are as many as the contract has. */
const found = new Map<unknown, readonly SchemaPath<true>[]>();

function actingPlacesIn(schema: unknown): readonly SchemaPath<true>[] {
  const places = found.get(schema) ?? placesIn(schema, isActing);
  found.set(schema, places);
  return places;
}

/** An answer with each link by which whoever has it acts null, as its schema marks them (docs/product/requests.md#links-that-act). */
export function withoutActingLinks({ responses }: AppRoute, { status, body }: Answer): Answer {
  const places = actingPlacesIn(responses[status]);
  if (places.length === 0) return { status, body };
  // What a view or a frozen text was made into is this answer's alone.
  const shown = body instanceof WrittenPage ? { ...body, data: body.data } : body;
  for (const { path, beside } of places.flatMap((place) => textsAt(shown, place.path))) {
    Reflect.set(beside, path.at(-1) ?? '', null);
  }
  return { status, body: shown };
}
