import type { Deps } from '../../deps.ts';
import type { Callback, NoticeVerdict } from './method.ts';
import { liveMethod } from './methods.ts';
import { findByNotice, type LiveAcquirerRow, openSettings } from './store.ts';

const TOKEN = /^[\w-]{32}$/;

/** Whose callbacks come to a path, before anything of one is read; null: nobody's. */
export async function findReceiver(deps: Deps, token: string): Promise<LiveAcquirerRow | null> {
  const { pool, secretBox } = deps;
  const row = TOKEN.test(token) ? await findByNotice(pool, { secretBox, token }) : null;
  if (row === null) deps.metrics.acquirerNotices.inc({ outcome: 'unknown_path' });
  return row;
}

/** Takes a callback of an account's acquirer (docs/design/api-pix.md#callbacks). */
export async function takeNotice(deps: Deps, row: LiveAcquirerRow, callback: Callback): Promise<NoticeVerdict> {
  const { accountId, method } = row;
  const { settings } = openSettings(deps.secretBox, row);
  const verdict = await liveMethod(method).receive(deps, { accountId, settings }, callback);
  deps.metrics.acquirerNotices.inc({ outcome: verdict });
  return verdict;
}
