import fc from 'fast-check';
import { JSON_FIELDS_MAX, JSON_VALUES_MAX } from '../../contract/json.ts';
import { excessOf } from '../../server/http/json-text.ts';
import { hostileJson, near, type Schema, schemas } from '../support/hostile-values.ts';

/** No schema takes longer for the largest body. */
const GOAL_MS = 5;
/** Judged again so often where it took longer: the least counts, for the machine does other things, and a collection of garbage may fall into any. */
const REPEATS = 9;
const BODY_BYTES_MAX = 256 * 1_024;
const TEXT_MAX = 250_000;

/** Values as large as a body may be, in the places where a schema takes any. */
const large: fc.Arbitrary<unknown> = fc.oneof(
  fc
    .tuple(fc.constantFrom<unknown>(0, 'a', {}, [], null), fc.integer({ min: 1_000, max: JSON_VALUES_MAX }))
    .map(([entry, count]) => Array.from({ length: count }, () => entry)),
  fc
    .tuple(fc.constantFrom('a', 'line_', '__'), fc.integer({ min: 1_000, max: JSON_FIELDS_MAX }))
    .map(([prefix, count]) => Object.fromEntries(Array.from({ length: count }, (_, nth) => [`${prefix}${nth}`, 0]))),
  fc
    .tuple(
      fc.constantFrom('a', '0', '1 ', '.', '@', 'a@', '😀', ' ', '-', '/'),
      fc.integer({ min: 1_000, max: TEXT_MAX }),
    )
    .map(([part, length]) => part.repeat(Math.floor(length / part.length))),
);

/** Whether a value comes past the reading of a body. */
function isRead(value: unknown): boolean {
  if (value === undefined) return false;
  const text = Buffer.from(JSON.stringify(value));
  return text.length <= BODY_BYTES_MAX && excessOf(text) === null;
}

interface Found {
  readonly name: string;
  inputs: number;
  mostMs: number;
  problems: string[];
}

function timed(schema: Schema, value: unknown): number {
  const startedMs = performance.now();
  const outcome: unknown = schema['~standard'].validate(value);
  const ms = performance.now() - startedMs;
  if (outcome instanceof Promise) throw new Error('answered a promise');
  const { issues = [] } = outcome as { issues?: readonly { message: string }[] };
  if (issues.some(({ message }) => message.endsWith(' cannot be read'))) throw new Error('a rule threw');
  return ms;
}

function judge(found: Found, schema: Schema, value: unknown): void {
  found.inputs += 1;
  try {
    let ms = timed(schema, value);
    for (let repeat = 0; repeat < REPEATS && ms > GOAL_MS; repeat += 1) ms = Math.min(ms, timed(schema, value));
    if (ms > GOAL_MS) found.problems.push(`${ms.toFixed(1)} ms for ${JSON.stringify(value).slice(0, 80)}…`);
    found.mostMs = Math.max(found.mostMs, ms);
  } catch (error) {
    found.problems.push(`${error instanceof Error ? error.message : error}: ${JSON.stringify(value).slice(0, 200)}`);
  }
}

/** Draws inputs for every schema of the contract, as large as a body may be; tells what threw, waited or took too long. */
export function fuzzSchemas({ inputs, seed }: { inputs: number; seed: number }): boolean {
  const numRuns = Math.ceil(inputs / schemas.length);
  const all = schemas.map(({ name, own, schema }): Found => {
    const found: Found = { name, inputs: 0, mostMs: 0, problems: [] };
    const drawn = near(own, fc.oneof({ weight: 3, arbitrary: hostileJson }, { weight: 1, arbitrary: large }));
    for (const value of fc.sample(drawn, { numRuns, seed })) if (isRead(value)) judge(found, schema, value);
    return found;
  });
  const read = all.reduce((sum, { inputs: count }) => sum + count, 0);
  console.log(`${read.toLocaleString('en')} inputs of ${all.length} schemas, at most ${GOAL_MS} ms each. The slowest:`);
  for (const { name, mostMs } of all.toSorted((one, other) => other.mostMs - one.mostMs).slice(0, 5)) {
    console.log(`  ${mostMs.toFixed(2)} ms  ${name}`);
  }
  const wrong = all.filter(({ problems }) => problems.length > 0);
  for (const { name, problems } of wrong) console.log(`${name}: ${problems.length} times, as\n  ${problems[0]}`);
  return wrong.length === 0;
}
