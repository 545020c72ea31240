import { isFaturaError } from '@fatura/sdk';
import { QueryClient, queryOptions } from '@tanstack/react-query';
import { auth, type Session } from './auth.ts';

const FRESH_MS = 10_000;
const RETRY_MS = 1_000;

/** How often it is tried once more; a refusal stays one. A list that reads something of each row can be ahead of the limit of a second. */
const retriesOf = (error: Error): number =>
  isFaturaError(error, 'RATE_LIMITED') ? 2 : isFaturaError(error, 'CONNECTION_FAILED') ? 1 : 0;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      retry: (failures, error) => failures < retriesOf(error),
      retryDelay: RETRY_MS,
    },
    mutations: { retry: false },
  },
});

/** Null: nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<Session | null> => {
    try {
      return await auth.session();
    } catch (error) {
      if (isFaturaError(error) && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** What is shown at this moment, the ways to sign in, is asked for by a screen and stays. */
const forgetHidden = (): void => queryClient.removeQueries({ type: 'inactive' });

/** What a sign-in answered is the session from here on; what somebody else had read here before is gone. */
export function takeSession(session: Session): void {
  const before = queryClient.getQueryData(sessionQuery.queryKey);
  if (before?.staff.id !== session.staff.id) forgetHidden();
  queryClient.setQueryData(sessionQuery.queryKey, session);
}

export function forgetSession(): void {
  forgetHidden();
  queryClient.setQueryData(sessionQuery.queryKey, null);
}
