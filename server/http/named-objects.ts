import type { Request } from 'express';
import type pg from 'pg';
import { type IdPrefix, references } from '../../contract/kernel.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import { missing } from '../kernel/errors.ts';
import { idDay } from '../kernel/ids.ts';
import { routeOf } from './request.ts';
import { zodOf } from './request-schema.ts';
import { placesIn, textsAt } from './schema-paths.ts';
import { dotted } from './validation.ts';

const looked = (table: string, resource: string) => ({
  resource,
  isDated: false,
  find: statement<{ id: string }>(
    `find_named_${table}`,
    `SELECT t.id FROM ${table} t WHERE t.id = ANY (:ids) AND ${mine('t')}`,
  ),
});

/** Events stand in partitions by the day of their id. */
const lookedByDay = (table: string, resource: string) => ({
  resource,
  isDated: true,
  find: statement<{ id: string }>(
    `find_named_${table}`,
    `SELECT t.id FROM ${table} t WHERE (t.day, t.id) IN (SELECT * FROM unnest(:days::date[], :ids::text[])) AND ${mine('t')}`,
  ),
});

/** How the object of an id is looked for; null where no request that changes anything names one. */
const lookups: Readonly<Record<IdPrefix, ReturnType<typeof looked> | null>> = {
  cus: looked('customer', 'customer'),
  prod: looked('product', 'product'),
  price: looked('price', 'price'),
  in: looked('invoice', 'invoice'),
  pi: looked('payment_intent', 'payment intent'),
  sub: looked('subscription', 'subscription'),
  we: looked('webhook_endpoint', 'webhook endpoint'),
  dp: null,
  cs: looked('checkout_session', 'checkout session'),
  acct: null,
  si: null,
  txn: null,
  evt: lookedByDay('event', 'event'),
};

interface Named {
  readonly prefix: IdPrefix;
  readonly id: string;
  readonly param?: string;
}

/** A path names one object. */
const idInPath = ({ params }: Request): string => String(Object.values(params)[0]);

/** The objects that a valid request names: that of its path first. */
function objectsNamedIn(request: Request): Named[] {
  const route = routeOf(request);
  const { idPrefix } = route.metadata;
  const ofPath = idPrefix === undefined ? [] : [{ prefix: idPrefix, id: idInPath(request) }];
  const places = 'body' in route ? placesIn(zodOf(route.body), (schema) => references.get(schema)?.prefix) : [];
  const ofBody = places.flatMap(({ path: steps, kind: prefix }) =>
    textsAt(request.body, steps).map(({ path, text: id }) => ({ prefix, id, param: dotted(path) })),
  );
  return [...ofPath, ...ofBody];
}

/** Refuses a request that names an object which the account and mode do not have. */
export async function refuseMissing(pool: pg.Pool, request: Request): Promise<void> {
  const named = objectsNamedIn(request);
  const existing = new Set<string>();
  for (const prefix of new Set(named.map((one) => one.prefix))) {
    const ids = named.filter((one) => one.prefix === prefix).map(({ id }) => id);
    const lookup = lookups[prefix];
    if (lookup === null) throw new Error(`nothing finds the object of an id ${prefix}_`);
    const dated = lookup.isDated ? { days: ids.map(idDay) } : {};
    const rows = await readIn(pool, request.identity, lookup.find, { ids, ...dated });
    for (const { id } of rows) existing.add(id);
  }
  const lost = named.find(({ id }) => !existing.has(id));
  if (lost !== undefined) throw missing(lookups[lost.prefix]?.resource ?? 'object', lost.id, lost.param);
}
