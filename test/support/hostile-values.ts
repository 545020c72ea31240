import fc from 'fast-check';
import { z } from 'zod';
import { contract } from '../../contract/index.ts';
import { routesOf } from '../../contract/router.ts';
import { networkForms } from '../../server/accounts/networks.ts';
import { customerTextForms } from '../../server/customers/rules.ts';
import type { requestSchema } from '../../server/http/request-schema.ts';
import { strictContract } from '../../server/http/strict-contract.ts';
import { cardForms } from '../../server/payments/card/number.ts';
import { accountTextForms } from '../../server/profile/rules.ts';

export type Schema = ReturnType<typeof requestSchema>;

/** The routes as the server holds requests to them. */
export const held = new Map(
  routesOf(strictContract(contract, { ...customerTextForms, ...accountTextForms, ...networkForms, ...cardForms })),
);

/** Each schema that a request is held to, beside the contract's own. */
export const schemas = routesOf(contract).flatMap(([id, route]) => {
  const strict = held.get(id);
  return (['pathParams', 'query', 'body'] as const).flatMap((part) => {
    const own: unknown = part in route ? Reflect.get(route, part) : undefined;
    // What the route library is given is made by requestSchema().
    const schema = (strict === undefined ? undefined : Reflect.get(strict, part)) as Schema | undefined;
    return own instanceof z.ZodType && schema !== undefined ? [{ name: `${part} of ${id}`, own, schema }] : [];
  });
});

const METHODS = ['toString', 'valueOf', 'toJSON', 'constructor', '__proto__', 'then', 'length', 'hasOwnProperty'];

/** A value of so many levels. */
export function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 0;
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
}

const levels = fc.constantFrom(31, 32, 33, 1_000, 7_000, 50_000);
const deep = fc
  .tuple(
    levels,
    fc.constantFrom(
      (inner: unknown) => [inner],
      (inner: unknown) => ({ a: inner }),
    ),
  )
  .map(([count, wrap]) => nested(count, wrap));
const hugeText = fc
  .tuple(fc.constantFrom('a', '0', ' ', '1 ', '😀', '\uD800', '\\u0000', '\0', 'a@', '.'), fc.nat(100_000))
  .map(([part, times]) => part.repeat(Math.min(times, Math.floor(250_000 / part.length))));
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\uDC00', '\uD800x', '', 'true', '__proto__'));
const methodsOf = (value: fc.Arbitrary<unknown>) => fc.dictionary(fc.constantFrom(...METHODS), value);
const plain = fc.jsonValue({ maxDepth: 2 });
/** Also of those whose `length` is a value of which no number can be made. */
const withMethods = methodsOf(fc.oneof(plain, methodsOf(plain)));

/** What JSON.parse may answer. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.jsonValue() },
  { weight: 4, arbitrary: withMethods },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: fc.oneof(hugeText, deep) },
);

/** What no JSON holds, yet a schema may meet. */
export const hostileObject: fc.Arbitrary<unknown> = fc.oneof(
  fc.dictionary(fc.constantFrom(...METHODS), fc.func(fc.jsonValue())),
  fc.dictionary(
    fc.constantFrom(...METHODS),
    fc.constant(() => {
      throw new Error('a method that throws');
    }),
  ),
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true }),
  fc.constantFrom<unknown>(
    Symbol('x'),
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('a field that throws');
        },
      },
    ),
  ),
);

/** Values of a schema's form in which any part may be a hostile one: so the rules deep inside a body are reached. */
export function near(schema: unknown, hostile: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const formed = formedAs(schema, hostile);
  return formed === null ? hostile : fc.oneof({ weight: 4, arbitrary: formed }, { weight: 1, arbitrary: hostile });
}

function formedAs(schema: unknown, hostile: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> | null {
  if (schema instanceof z.ZodObject) {
    const parts = Object.entries(schema.shape).map(([name, part]) => [name, near(part, hostile)] as const);
    return fc.record(Object.fromEntries(parts), { requiredKeys: [] });
  }
  if (schema instanceof z.ZodArray) return fc.array(near(schema.element, hostile), { maxLength: 3 });
  if (schema instanceof z.ZodRecord) return fc.dictionary(fc.string(), hostile, { maxKeys: 2 });
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return near(schema.unwrap(), hostile);
  if (schema instanceof z.ZodUnion) return fc.oneof(...schema.options.map((option) => near(option, hostile)));
  if (schema instanceof z.ZodPipe) return near(schema.in, hostile);
  if (schema instanceof z.ZodEnum) return fc.constantFrom<unknown>(...schema.options);
  if (schema instanceof z.ZodLiteral) return fc.constantFrom<unknown>(...schema.values);
  if (schema instanceof z.ZodNumber) return fc.oneof(fc.integer(), fc.double());
  return null;
}
