import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { metadata } from '../../contract/metadata.ts';
import { requestSchema } from '../../server/http/request-schema.ts';
import { held, hostileJson, hostileObject, near, nested, type Schema, schemas } from '../support/hostile-values.ts';

/** What a schema says of a value: nothing, or its issue. */
function judge(schema: Schema, value: unknown): readonly { message: string }[] {
  const outcome: unknown = schema['~standard'].validate(value);
  expect(outcome).not.toBeInstanceOf(Promise);
  const { issues } = outcome as { issues?: readonly { message: string }[] };
  return issues ?? [];
}

const RUNS = { numRuns: 60 };
const UNREADABLE = expect.stringMatching(/ cannot be read$/);

describe('no schema of the contract throws or answers a promise, whatever comes:', () => {
  test('every route is held to a schema', () => {
    expect(schemas.length).toBeGreaterThan(held.size);
  });

  test.each(schemas)('$name', ({ own, schema }) => {
    fc.assert(
      fc.property(near(own, hostileJson), (value) => {
        // A rule that throws is caught, and that is the last resort: none does for what JSON can say.
        expect(judge(schema, value).map(({ message }) => message)).not.toContainEqual(UNREADABLE);
      }),
      RUNS,
    );
    fc.assert(
      fc.property(near(own, hostileObject), (value) => void judge(schema, value)),
      RUNS,
    );
  });

  test.each([33, 7_000, 50_000])('metadata of %i levels are refused by their own rule', (count) => {
    const { issues } = metadata.safeParse([nested(count, (a) => ({ a }))]).error ?? {};
    expect(issues?.map(({ message }) => message)).toEqual(['must have at most 32 levels']);
  });

  test('a rule that throws refuses the value', () => {
    const throwing = z.string().refine(() => {
      throw new Error('a fault of the rule');
    });
    const message = 'the body cannot be read';
    const listed = [{ param: null, code: 'PARAMETER_INVALID', message }];
    expect(judge(requestSchema(throwing, 'the body'), 'x')).toEqual([{ count: 1, listed, message }]);
  });
});
