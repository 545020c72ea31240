// Checked by tsc alone: the client's generated types are those of the contract.
import type { z } from 'zod';
import type { contract } from '../../contract/index.ts';
import type { RouteMethods } from '../../sdk/src/client.ts';
import type { RouteId, RouteTypes, routes } from '../../sdk/src/generated/routes.ts';

/** A type spelled out, where an optional field and one that may be undefined are the same. */
type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { [K in keyof T]: Plain<Exclude<T[K], undefined>> }
    : T;

type Is<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;
type Same<A, B> = Is<Plain<A>, Plain<B>>;

type At<T, Path extends string> = Path extends `${infer Head}.${infer Rest}`
  ? At<Head extends keyof T ? T[Head] : never, Rest>
  : Path extends keyof T
    ? T[Path]
    : never;

type InContract<R extends RouteId> = At<typeof contract, R>;

type Answer<Route> = Route extends { responses: { 201: infer S extends z.ZodType } }
  ? z.output<S>
  : Route extends { responses: { 202: infer S extends z.ZodType } }
    ? z.output<S>
    : Route extends { responses: { 200: infer S extends z.ZodType } }
      ? z.output<S>
      : never;
type Query<Route> = Route extends { query: infer S extends z.ZodType } ? z.output<S> : undefined;
type Body<Route> = Route extends { body: infer S extends z.ZodType } ? NonNullable<z.input<S>> : undefined;

type Call<R extends RouteId> = RouteTypes[R]['call'];
type SentBody<R extends RouteId> =
  Call<R> extends { body: infer B }
    ? (typeof routes)[R] extends { envelope: infer E extends string }
      ? { [K in E]: B }
      : B
    : Body<InContract<R>> extends Record<string, never> | undefined
      ? Body<InContract<R>> // an action without parameters: nothing is sent
      : 'a body that the client does not send';
type SentQuery<R extends RouteId> = Call<R> extends { query: infer Q } ? Q : undefined;

type Differing<T extends Record<RouteId, boolean>> = { [R in RouteId]: T[R] extends true ? never : R }[RouteId];
type NoneOf<T extends never> = T;

export type Answers = NoneOf<Differing<{ [R in RouteId]: Same<RouteTypes[R]['answer'], Answer<InContract<R>>> }>>;
export type Queries = NoneOf<Differing<{ [R in RouteId]: Same<SentQuery<R>, Query<InContract<R>>> }>>;

export type Bodies = NoneOf<Differing<{ [R in RouteId]: Same<SentBody<R>, Body<InContract<R>>> }>>;

// The comparisons above tell types apart.
export type Controls = NoneOf<
  | (Same<{ a: string }, { a?: string }> extends false ? never : 'optional')
  | (Same<{ a: string }[], { a: string | null }[]> extends false ? never : 'nullable')
  | (Same<{ a: { b: 'x' } }, { a: { b: string } }> extends false ? never : 'literal')
  | (Same<{ a: string }, { a: string; b: string }> extends false ? never : 'surplus')
  | (Is<RouteMethods, never> extends false ? never : 'no methods')
  | (Is<InContract<'invoices.create'>, never> extends false ? never : 'no contract')
>;
