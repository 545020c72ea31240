import type { AppRoute } from '@ts-rest/core';
import type { Request } from 'express';
import type pg from 'pg';
import { contract } from '../../contract/index.ts';
import { type IdPrefix, objectOf, type RouteMetadata, references } from '../../contract/kernel.ts';
import { routesOf } from '../../contract/router.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import { missing } from '../kernel/errors.ts';
import { idDay } from '../kernel/ids.ts';
import { routeOf } from './request.ts';
import { zodOf } from './request-schema.ts';
import { placesIn, textsAt } from './schema-paths.ts';
import { dotted } from './validation.ts';

const byId = (table: string): string => `SELECT t.id FROM ${table} t WHERE t.id = ANY (:ids) AND ${mine('t')}`;
/** Events stand in partitions by the day of their id. */
const byDay = (table: string): string =>
  `SELECT t.id FROM ${table} t WHERE (t.day, t.id) IN (SELECT * FROM unnest(:days::date[], :ids::text[])) AND ${mine('t')}`;

const lookupOf = (prefix: IdPrefix) => {
  const table = objectOf(prefix);
  const isDated = prefix === 'evt';
  return {
    isDated,
    find: statement<{ id: string }>(`find_named_${table}`, isDated ? byDay(table) : byId(table)),
  };
};

/** A filter may be of what there is not: it finds nothing. */
const isFilter = ({ path }: { readonly path: readonly unknown[] }): boolean => path.includes('filters');

const referencesIn = (route: AppRoute) => {
  const places = 'body' in route ? placesIn(zodOf(route.body), (schema) => references.get(schema)?.prefix) : [];
  return places.filter((place) => !isFilter(place));
};

/** The kinds of objects that routes name which change something. */
const prefixes: ReadonlySet<IdPrefix> = new Set(
  routesOf(contract)
    .filter(([, { method }]) => method !== 'GET')
    .flatMap(([, route]) => {
      const { idPrefix } = route.metadata as RouteMetadata; // every route of the contract is declared with meta()
      return [...(idPrefix === undefined ? [] : [idPrefix]), ...referencesIn(route).map(({ kind }) => kind)];
    }),
);

const lookups = new Map([...prefixes].map((prefix) => [prefix, lookupOf(prefix)] as const));

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
  const ofBody = referencesIn(route).flatMap(({ path: steps, kind: prefix }) =>
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
    const lookup = lookups.get(prefix);
    if (lookup === undefined) throw new Error(`nothing finds the object of an id ${prefix}_`);
    const dated = lookup.isDated ? { days: ids.map(idDay) } : {};
    const rows = await readIn(pool, request.identity, lookup.find, { ids, ...dated });
    for (const { id } of rows) existing.add(id);
  }
  const lost = named.find(({ id }) => !existing.has(id));
  if (lost !== undefined) throw missing(objectOf(lost.prefix), lost.id, lost.param);
}
