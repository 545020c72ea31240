import { z } from 'zod';
import { arrayOf } from './arrays.ts';
import { flawsIn, InexactNumber, isDeeperThan, isStorable, JSON_DEPTH_MAX, jsonBytes } from './json.ts';
import { field } from './kernel.ts';
import { ofForm } from './texts.ts';

const METADATA_OBJECTS_MAX = 20;
export const METADATA_BYTES_MAX = 8_192;

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof InexactNumber);

type FreeObject = Record<string, unknown>;

/** An object with whatever fields; zod's own record drops some of them without a word. */
const freeObject = z
  .unknown()
  .refine(isObject, { message: 'must be an object' })
  // The rule before lets nothing else pass.
  .meta({ type: 'object', propertyNames: { type: 'string' }, additionalProperties: true }) as unknown as z.ZodType<
  FreeObject,
  FreeObject
>;

/** Free objects kept and returned as sent: at most 20, 8 KiB as JSON (docs/product/requests.md#metadata). */
export const metadata = field(
  ofForm(
    arrayOf(freeObject, { max: METADATA_OBJECTS_MAX })
      .refine((value) => !isDeeperThan(value, JSON_DEPTH_MAX), {
        message: `must have at most ${JSON_DEPTH_MAX} levels`,
        // The rules below recurse over the value.
        abort: true,
      })
      .superRefine((value, context) => {
        for (const flaw of flawsIn(value)) context.addIssue({ code: 'custom', ...flaw });
      })
      .refine((value) => jsonBytes(value) <= METADATA_BYTES_MAX, {
        message: `must be at most ${METADATA_BYTES_MAX} bytes as JSON`,
      })
      .refine(isStorable, { message: 'must not contain NUL characters or lone surrogates' }),
    'free_object',
  ),
  'Free objects, returned as stored: at most 20, together 8 KiB as JSON.',
  [{ order: '1042' }],
);
