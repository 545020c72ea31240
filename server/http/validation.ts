import type { z } from 'zod';
import { InexactNumber } from '../../contract/json.ts';
import { BillingError, type Violation } from '../kernel/errors.ts';
import { clip } from '../kernel/text.ts';

type Path = readonly PropertyKey[];

const SHOWN_MAX = 80;
const cut = (text: string): string => clip(text, SHOWN_MAX, '…');

/** A card number or a CPF, masked or not, that came in a wrong place. */
const SECRET_DIGITS = /\d(?:[\s\p{Pd}./]*\d){10,}/gu;

const withoutSecrets = (text: string): string => text.replace(SECRET_DIGITS, '…');

/** `['session', 'line_items', 0, 'quantity']` → `session.line_items[0].quantity`. */
export function dotted(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += `${text === '' ? '' : '.'}${cut(withoutSecrets(String(step)))}`;
  }
  return text;
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

/** Values under these names are never repeated in a message: a card, who a person is, and what opens something. */
const SECRET_PARAMS =
  /(^|\.)(card|cvc|number|card_token|billing_details|document|identifier|tax_id|password|client_secret|secret_key|certificate|key)(\.|$)/;

function textOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(withoutSecrets(value));
  if (typeof value === 'number') return withoutSecrets(JSON.stringify(value));
  if (value instanceof InexactNumber) return withoutSecrets(value.literal);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return Array.isArray(value) ? 'an array' : 'an object';
}

function shown(param: string, value: unknown): string {
  if (SECRET_PARAMS.test(param) || value === undefined) return '';
  return `, got ${cut(textOf(value))}`;
}

type Issue = z.core.$ZodIssue;

function rule(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${issue.expected === 'int' ? 'an integer' : `of type ${issue.expected}`}`;
    case 'too_big': {
      const most = issue.inclusive === false ? `less than ${issue.maximum}` : `at most ${issue.maximum}`;
      return issue.origin === 'array'
        ? `must have ${most} entries, has ${Array.isArray(value) ? value.length : 'more'}`
        : `must be ${most}`;
    }
    case 'too_small': {
      const least = issue.inclusive === false ? `more than ${issue.minimum}` : `at least ${issue.minimum}`;
      return issue.origin === 'array' ? `must have ${least} entries` : `must be ${least}`;
    }
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return 'options' in issue ? `must be one of ${issue.options?.map(String).join(', ')}` : issue.message;
    default:
      return issue.message;
  }
}

const depthOf = (issues: readonly Issue[]): number =>
  issues.reduce((deepest, { path }) => Math.max(deepest, path.length), 0);

/** Whether a value is of another type than a form asks for. */
const isOtherType = (issues: readonly Issue[]): boolean =>
  issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0);

/** A field that must have one of several forms: tell of the form that came closest. */
function flatten(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const [closest = []] = issue.errors.toSorted(
    (a, b) => depthOf(b) - depthOf(a) || Number(isOtherType(a)) - Number(isOtherType(b)),
  );
  // The inner issues of a union are located inside it.
  return closest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }) as Issue);
}

/** A part of a request, and what it is called as a whole. */
interface Root {
  readonly value: unknown;
  readonly name: string;
}

/** A violation whose text is not written yet: of thousands, an answer lists a few. */
interface Found {
  /** What it is counted by: several of one field are one. */
  readonly place: string;
  readonly write: () => Violation;
}

function unknownOf(key: string, path: Path): Violation {
  const param = dotted([...path, key]);
  return { param, code: 'PARAMETER_UNKNOWN', message: `${param} is not a parameter of this request` };
}

function violationOf(issue: Issue, root: Root): Violation {
  const value = valueAt(root.value, issue.path);
  const param = dotted(issue.path) || null;
  const name = param ?? root.name;
  const isMissing = value === undefined && (issue.code !== 'custom' || issue.params?.missing === true);
  if (isMissing) {
    const message = issue.code === 'custom' ? `${name} ${issue.message}` : `${name} is required`;
    return { param, code: 'PARAMETER_MISSING', message };
  }
  return { param, code: 'PARAMETER_INVALID', message: `${name} ${rule(issue, value)}${shown(name, value)}` };
}

function foundIn(issue: Issue, root: Root): Found[] {
  const { path } = issue;
  if (issue.code !== 'unrecognized_keys') return [{ place: dotted(path), write: () => violationOf(issue, root) }];
  const above = dotted([...path, '']);
  return issue.keys.map((key) => ({ place: above + key, write: () => unknownOf(key, path) }));
}

/** A rule over several fields also runs when one of them has a wrong form: what the field's own rule said of it stands. */
function firstOfEach(found: readonly Found[]): Found[] {
  const byPlace = new Map<string, Found>();
  for (const one of found) if (!byPlace.has(one.place)) byPlace.set(one.place, one);
  return [...byPlace.values()];
}

/** Most violations that an answer lists (docs/product/requests.md#violations). */
const LISTED_MAX = 20;

/** How many violations a part of a request has, or several parts, and the first of them. */
export interface Violations {
  readonly count: number;
  readonly listed: readonly Violation[];
}

/** What is wrong with a part of a request, of what its schema found. */
export function violationsOf(issues: readonly Issue[], root: Root): Violations {
  const found = firstOfEach(issues.flatMap(flatten).flatMap((issue) => foundIn(issue, root)));
  return { count: found.length, listed: found.slice(0, LISTED_MAX).map(({ write }) => write()) };
}

/** All violations of a request in one refusal; `param` and `code` are the first's (docs/product/requests.md#violations). */
export function refuseViolations(parts: readonly Violations[]): BillingError {
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  const violations = parts.flatMap(({ listed }) => listed).slice(0, LISTED_MAX);
  const [first] = violations;
  if (first === undefined) throw new Error('a refused request has no violation');
  const more = count > LISTED_MAX ? `; it is one of ${count} violations, the first ${LISTED_MAX} are listed` : '';
  return new BillingError(first.code, {
    message: `${first.message}${more}`,
    ...(first.param === null ? {} : { param: first.param }),
    violations,
  });
}
