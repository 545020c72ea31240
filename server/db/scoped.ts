import { p } from '@mikro-orm/core';

/** What every object of an account carries. */
export const scoped = {
  id: p.string().primary(),
  accountId: p.string(),
  liveMode: p.boolean(),
  created: p.bigint('number'),
} as const;

/** What an object that events tell of carries: the last of them, so that the next one comes after it. */
export const told = {
  lastEventId: p.string().nullable(),
  lastEventAt: p.bigint('number').nullable(),
} as const;

interface ScopeParams {
  readonly accountId: string;
  readonly liveMode: boolean;
}

/** Keeps every query of an entity inside the account and mode of its entity manager. */
export const scopeFilter = {
  scope: {
    name: 'scope',
    // The ORM hands filter parameters over untyped; scopedReader is their only source.
    cond: (params: unknown) => {
      const { accountId, liveMode } = params as ScopeParams;
      return { accountId, liveMode };
    },
    default: true,
  },
};
