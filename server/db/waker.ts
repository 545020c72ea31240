import type pg from 'pg';

/** Channels the worker listens on. */
export const FACTS_CHANNEL = 'fatura_facts';
export const OUTBOX_CHANNEL = 'fatura_outbox';

/** Notifications a second and process are bounded by this: PostgreSQL lets only one notifying transaction commit at a time. */
const INTERVAL_MS = 20;

/** Tells the worker of new rows after commit, at most one notification for each channel in an interval; a poll stands behind it. */
export function createWaker(pool: pg.Pool) {
  const armed = new Set<string>();
  const notify = (channel: string): void => {
    if (armed.has(channel)) return;
    armed.add(channel);
    setTimeout(() => {
      armed.delete(channel);
      // A lost notification costs the worker one poll interval.
      pool.query(`NOTIFY ${channel}`).catch(() => {});
    }, INTERVAL_MS).unref();
  };
  return {
    wake(what: { facts: boolean; outbox: boolean }): void {
      if (what.facts) notify(FACTS_CHANNEL);
      if (what.outbox) notify(OUTBOX_CHANNEL);
    },
  };
}
