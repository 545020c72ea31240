import { z } from 'zod';
import { arrayOf } from './arrays.ts';
import { text } from './texts.ts';

/** Prefixes of the identifiers (docs/product/requests.md#identifiers) and of the service's own objects, by what they are of, which is called as its table. */
const idPrefixes = {
  account: 'acct',
  api_key: 'key',
  audit_log: 'log',
  mail: 'mail',
  customer: 'cus',
  note: 'note',
  product: 'prod',
  price: 'price',
  coupon: 'cpn',
  promotion_code: 'promo',
  redemption: 'rdm',
  subscription: 'sub',
  subscription_item: 'si',
  subscription_change: 'chg',
  invoice: 'in',
  invoice_item: 'ii',
  payment_intent: 'pi',
  checkout_session: 'cs',
  payment_link: 'plink',
  payment_method: 'txn',
  mandate: 'mdt',
  event: 'evt',
  webhook_endpoint: 'we',
  dispute: 'dp',
  export: 'exp',
} as const;

export type IdPrefix = (typeof idPrefixes)[keyof typeof idPrefixes];

/** What an id of a prefix is of, as its table is called: `payment_intent`. */
export const objectOf = (prefix: IdPrefix): string =>
  Object.entries(idPrefixes).find(([, one]) => one === prefix)?.[0] ?? prefix;

const EXAMPLE_SUFFIX = '01kaj4w2n8e9r7t5v3x1z0q6d4';

/** An example of an id with this prefix, as the reference shows it. */
export const exampleId = (prefix: IdPrefix): string => `${prefix}_${EXAMPLE_SUFFIX}`;

/** An example of the id of a request. */
export const exampleRequestId = `req_${EXAMPLE_SUFFIX}`;

/** Attaches the meaning and an example to a field; both show in the API reference and in the client's types. Without an example it has that of its parts. */
export function field<T extends z.ZodType>(schema: T, description: string, example?: unknown): T {
  return schema.meta({ description, ...(example !== undefined && { examples: [example] }) });
}

/** One of several words, under a name that the reference and every generated client share. */
export const named = <const T extends readonly [string, ...string[]]>(id: string, words: T, description: string) =>
  z.enum(words).meta({ id, description });

/** The fields that hold the id of an object. */
export const references = z.registry<{ prefix: IdPrefix }>();

/** Marks the fields of answers that hold a link by which whoever has it acts; in the document too. */
export const ACTING_LINK = 'x-acting-link';

/** A link by which whoever has it acts: null in every answer to a key that may only read (docs/product/requests.md#links-that-act). */
export const actingLink = (description: string, example: string) =>
  field(z.string().nullable(), `${description} Null for a key that may only read.`, example).meta({
    [ACTING_LINK]: true,
  });

/** An identifier in a body, a query or a response: prefix, underscore, 26 characters of 0-9a-z (docs/product/requests.md#identifiers). */
export function typeId(prefix: IdPrefix, description: string) {
  const form = new RegExp(`^${prefix}_[0-9a-z]{26}$`);
  const schema = z.string().regex(form, `must be an id of the form ${prefix}_ and 26 characters of 0-9a-z`);
  return field(schema, description, exampleId(prefix)).register(references, { prefix });
}

/** An identifier of any kind of object, in a query. */
export const anyId = z
  .string()
  .regex(/^[a-z]+_[0-9a-z]{26}$/, 'must be an id: a prefix, _ and 26 characters of 0-9a-z');

/** The id in a path, named after its resource. Its form is documented, not checked: a wrong form is an id of nothing, hence 404. */
export function pathId<const Resource extends string>(
  resource: Resource,
  prefix: IdPrefix,
  noun: string = resource.replaceAll('_', ' '),
) {
  const id = z.string().meta({
    description: `Identifier of the ${noun}.`,
    pattern: `^${prefix}_[0-9a-z]{26}$`,
    examples: [exampleId(prefix)],
  });
  // The name is made of the same words as the type.
  return z.object({ [`${resource}_id`]: id } as { [Name in `${Resource}_id`]: typeof id });
}

/** Lets a rule over several fields run also when some of them are wrong: all violations come in one answer (docs/product/requests.md#violations). */
export const evenWhenInvalid = {
  when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

export const NAME_MAX = 250;
export const DESCRIPTION_MAX = 1_000;
export const EXTERNAL_CODE_MAX = 255;
/** Characters of what people look for. */
export const SEARCH_MIN = 3;
export const SEARCH_MAX = 200;
/** Latest instant a timestamp parameter may name: the year 9999. */
export const TIMESTAMP_MAX = 253_402_300_799;

/** Unix time in whole seconds (docs/product/requests.md#instants-and-amounts). */
export const timestamp = (description: string) =>
  field(z.int().min(0).max(TIMESTAMP_MAX), `${description} Unix time, seconds.`, 1_795_257_600);

/** A day of the calendar in America/Sao_Paulo. */
export const day = (description: string, example = '2026-11-24') =>
  field(z.iso.date(), `${description} As \`yyyy-mm-dd\`, in America/Sao_Paulo.`, example);

/** Unix time in whole seconds, null until the instant comes. */
export const timestampOrNull = (description: string) =>
  field(z.int().nullable(), `${description} Unix time, seconds; null until then.`, 1_795_257_600);

/** An amount in cents of a real: R$ 99,90 is 9990 (docs/product/requests.md#instants-and-amounts). */
export const amount = (description: string, example = 9990) =>
  field(z.int().min(0), `${description} Integer cents.`, example);

export const liveMode = field(z.boolean(), 'true for live data, false for sandbox data.', false);

/** How a payment is made. */
export const PaymentMethodType = named(
  'PaymentMethodType',
  ['pix', 'card', 'pix_automatico'],
  'How a payment is made.',
);

export const currency = field(z.literal('brl'), 'Always `brl`.', 'brl');

/** The constant that names a resource's type. */
export const objectName = <const T extends string>(name: T) => field(z.literal(name), `Always \`${name}\`.`, name);

export const externalCode = field(
  text({ max: EXTERNAL_CODE_MAX }),
  'Your own code for this object, unique in the account and mode (1 to 255 characters).',
  'order-1042',
);

/** The same code as a response shows it. */
export const externalCodeOrNull = field(
  z.string().nullable(),
  'Your own code for this object; null when it has none.',
  'order-1042',
);

/** A filter of a list by that code. */
export const externalCodeFilter = (description: string, example = 'order-1042') =>
  field(text({ max: EXTERNAL_CODE_MAX }).optional(), description, example);

/** The list envelope (docs/product/requests.md#lists). */
export function listOf<T extends z.ZodType>(item: T, options: { id: string; url: string }) {
  return z
    .object({
      object: objectName('list'),
      url: field(z.string(), 'Path of the list.', options.url),
      has_more: field(z.boolean(), 'Whether more objects follow in the direction asked.', false),
      data: z.array(item).meta({ description: 'The objects of this page, newest first.' }),
    })
    .meta({ id: options.id, description: 'One page of a list.' });
}

/** A list inside an object: everything at once, without pages. */
export function innerList<T extends z.ZodType>(item: T, options: { id: string; description: string }) {
  return z
    .object({
      object: objectName('list'),
      data: z.array(item).meta({ description: options.description }),
    })
    .meta({ id: options.id, description: options.description });
}

export const PAGE_LIMIT_DEFAULT = 20;
const PAGE_LIMIT_MAX = 100;

/** The largest number of 15 digits, which is what a query may hold. */
const QUERY_INTEGER_MAX = 999_999_999_999_999;

/** A whole number in a query, of at most 15 digits. */
export const queryInteger = (limits: { min: number; max: number }) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(limits.min).max(limits.max));

/** A flag in a query: `true` or `false`. */
export const queryFlag = (description: string) =>
  field(
    z
      .enum(['true', 'false'])
      .transform((value) => value === 'true')
      .pipe(z.boolean())
      .optional(),
    description,
    true,
  );

const instantFilter = (description: string) =>
  field(
    queryInteger({ min: 0, max: TIMESTAMP_MAX }).optional(),
    `${description} this instant. Unix time, seconds.`,
    1_795_257_600,
  );
const centsFilter = (description: string, example: number) =>
  field(queryInteger({ min: 0, max: QUERY_INTEGER_MAX }).optional(), description, example);

/** Parameters every list takes (docs/product/requests.md#lists), of objects whose ids have this prefix. */
export const pageQuery = (prefix: IdPrefix) => ({
  limit: field(
    queryInteger({ min: 1, max: PAGE_LIMIT_MAX }).optional(),
    'Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`.',
    20,
  ),
  starting_after: field(
    z.string().optional(),
    'Id of the last object of the page before; the page starts after it.',
    exampleId(prefix),
  ),
  ending_before: field(
    z.string().optional(),
    'Id of the first object of the page after; the page ends before it.',
    exampleId(prefix),
  ),
  created_gte: instantFilter('Only objects created at or after'),
  created_lte: instantFilter('Only objects created at or before'),
});

const IDS_MAX = 100;

/** Only objects of these ids; `what` names them in the plural. */
export function idsFilter(prefix: IdPrefix, what: string) {
  const id = typeId(prefix, 'Identifier of an object.');
  return field(
    z
      .union([id.transform((one) => [one]), arrayOf(id, { max: IDS_MAX })])
      .pipe(z.array(id))
      .optional(),
    `Only these ${what}, up to ${IDS_MAX}; repeat the parameter for several.`,
    [exampleId(prefix)],
  );
}

/** Filters of lists of charges, by the money and the instant it came (docs/product/requests.md#lists). */
export const moneyQuery = {
  amount_gte: centsFilter('Only of at least so many cents.', 5_000),
  amount_lte: centsFilter('Only of at most so many cents.', 9_990),
  paid_at_gte: instantFilter('Only what was paid at or after'),
  paid_at_lte: instantFilter('Only what was paid at or before'),
};

/** Limits of a route's own (docs/product/requests.md#rate-limits), in requests a minute; every other route counts in the limit `minute` of its key. */
export const routeLimits = {
  'payment_intents.get': 100,
  'checkout_sessions.create': 5,
  'checkout_sessions.get': 100,
  'checkout_sessions.list': 100,
} as const;

export type RateLimitName = keyof typeof routeLimits;

/** What the server needs to know of a route beyond its shapes. */
export interface RouteMetadata {
  /** What a key must be allowed to do. */
  readonly scope: 'read' | 'write';
  /** A limit of the route's own, else the key's `minute`. */
  readonly limit?: RateLimitName;
  /** Refused with ENVIRONMENT_MISMATCH for a live key. */
  readonly sandboxOnly?: true;
  /** The prefix of the id in the path, when there is one. */
  readonly idPrefix?: IdPrefix;
  /** Its answer may be large: it counts as a list where requests in flight are counted. */
  readonly heavy?: true;
}

/** Route metadata checked against its type and kept literal. */
export const meta = <const T extends RouteMetadata>(metadata: T): T => metadata;
