import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { Membership, Session } from './auth.ts';
import { sessionQuery } from './query-client.ts';
import type { Mode, Scope } from './scope.ts';

/** Who is signed in. Only screens within the frame ask: there somebody is. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (data === null || data === undefined) throw new Error('nobody is signed in');
  return data;
}

/** What the address says of whose data are shown. */
export interface ScopeSearch {
  readonly account?: string | undefined;
  readonly mode?: Mode | undefined;
}

const modes: readonly Mode[] = ['live', 'sandbox'];

/** Reads the scope of an address; what is none of it is left out. */
export function scopeSearch({ account, mode }: Record<string, unknown>): ScopeSearch {
  return {
    account: typeof account === 'string' ? account : undefined,
    mode: modes.find((one) => one === mode),
  };
}

export function membershipOf({ accounts }: Session, { account }: ScopeSearch): Membership | undefined {
  return accounts.find(({ id }) => id === account) ?? accounts[0];
}

/** The mode of an address, where the process serves it; else live for an account that can be paid there, and the sandbox for others. */
export function modeOf(session: Session, search: ScopeSearch): Mode {
  const usual: Mode = membershipOf(session, search)?.has_acquirer === true ? 'live' : 'sandbox';
  return [search.mode, usual, ...modes].find((one) => one !== undefined && session.modes.includes(one)) ?? usual;
}

/** The account that the screen shows, and what the person may do there. */
export function useMembership(): Membership {
  const membership = membershipOf(useSession(), useSearch({ strict: false }));
  if (membership === undefined) throw new Error('the person belongs to no account');
  return membership;
}

/** Whose data the screen shows. */
export function useScope(): Scope {
  const mode = modeOf(useSession(), useSearch({ strict: false }));
  return { account: useMembership().id, mode };
}
