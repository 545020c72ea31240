import { p } from '@mikro-orm/core';

/** What every object of an account carries. */
export const scoped = {
  id: p.string().primary(),
  accountId: p.string(),
  liveMode: p.boolean(),
  created: p.bigint('number'),
} as const;

interface ScopeParams {
  readonly accountId: string;
  readonly liveMode: boolean;
}

/** Keeps every query of an entity inside the account and mode of its entity manager. */
export const scopeFilter = {
  scope: {
    name: 'scope',
    // The ORM hands filter parameters over untyped; scopedEm is their only source.
    cond: (params: unknown) => {
      const { accountId, liveMode } = params as ScopeParams;
      return { accountId, liveMode };
    },
    default: true,
  },
};
