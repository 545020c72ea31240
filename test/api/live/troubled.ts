import { setTimeout as sleep } from 'node:timers/promises';
import type { FakePsp, Trouble } from '../../../dev/fake-psp/psp.ts';
import { run } from '../../../server/db/statement.ts';
import type { Deps } from '../../../server/deps.ts';
import type { Clock } from '../../../server/kernel/time.ts';
import { createAsk } from '../../../server/payments/acquirer/ask.ts';
import type { PixAcquirer } from '../../../server/payments/acquirer/port.ts';
import { sweep } from '../../../server/payments/live/pix/sweep.ts';
import { ownStatement } from '../../support/statements.ts';
import { isUnknown, withCalls } from './answers.ts';
import type { LiveShop } from './live-shop.ts';

/** What befalls calls and callbacks at random; each that costs seconds has a test of its own. */
export const mixed: readonly Trouble[] = [
  { kind: 'request_lost', share: 0.15 },
  { kind: 'answer_lost', share: 0.2 },
  { kind: 'unavailable', share: 0.1 },
  { kind: 'html_fault', share: 0.1, worked: true },
  { kind: 'too_many', operation: 'putReturn', share: 0.05 },
  { kind: 'too_many', operation: 'getCob', share: 0.02 },
  { kind: 'unavailable', operation: 'token', share: 0.05 },
  { kind: 'empty', share: 0.1 },
  { kind: 'truncated', share: 0.1 },
  { kind: 'token_ends', share: 0.02 },
  { kind: 'lagging', share: 0.05, milliseconds: 50 },
  { kind: 'cut_off', share: 0.03 },
  { kind: 'nonsense', share: 0.03 },
  { kind: 'removed', share: 0.01 },
  { kind: 'paid_unseen', share: 0.05 },
  { kind: 'callback_late', share: 0.1, milliseconds: 50 },
  { kind: 'repeat_refused', share: 0.3 },
  { kind: 'paid_without_pix', share: 0.1 },
  { kind: 'return_fails', share: 0.05 },
  { kind: 'callback_none', share: 0.1 },
  { kind: 'callback_twice', share: 0.1 },
  { kind: 'callback_disordered', share: 0.1 },
  { kind: 'callback_foreign', share: 0.05 },
  { kind: 'callback_astray', share: 0.05 },
];

/** Counts answers of an acquirer from which nobody learns what happened. */
export function countUnknown(shop: LiveShop): () => number {
  let unknown = 0;
  const { live } = shop.deps.acquirers;
  const pix = live.pix;
  Object.assign(live, {
    pix: async (accountId: string): Promise<PixAcquirer | null> => {
      const acquirer = await pix(accountId);
      if (acquirer === null || accountId !== shop.merchant.accountId) return acquirer;
      return withCalls(acquirer, async (call) => {
        const answer = await call();
        if (isUnknown(answer)) unknown += 1;
        return answer;
      });
    },
  });
  return () => unknown;
}

/** A sweep asks for whole seconds. */
const SECOND_OVER_MS = 1_050;
const SWEEPS_MAX = 90;

const readBooks = ownStatement(
  'live_read_books',
  `SELECT
     (SELECT coalesce(json_agg(json_build_object('endToEndId', r.id, 'txid', r.txid, 'amount', r.amount) ORDER BY r.id), '[]')
      FROM pix_receipt r WHERE r.account_id = $1 AND r.live_mode) AS payments,
     (SELECT coalesce(json_agg(json_build_object('id', went.id, 'amount', went.amount) ORDER BY went.id COLLATE "C"), '[]')
      FROM (SELECT p.reference AS id, p.amount FROM refund_part p WHERE p.account_id = $1 AND p.live_mode AND p.status = 'refunded'
        UNION ALL SELECT d.return_id, d.amount FROM dispute d WHERE d.account_id = $1 AND d.live_mode AND d.funds = 'withdrawn') went) AS returns,
     (SELECT count(*)::int FROM refund_part p WHERE p.account_id = $1 AND p.live_mode AND p.status = 'refunding') AS "underWay",
     (SELECT coalesce(json_agg(json_build_object('id', i.id, 'status', i.status, 'total', i.total, 'kept', kept.amount) ORDER BY i.id), '[]')
      FROM invoice i CROSS JOIN LATERAL (
        SELECT coalesce(sum(p.amount - p.amount_refunded), 0)::int AS amount FROM payment_intent p
        WHERE p.invoice_id = i.id AND p.paid_at IS NOT NULL AND p.surplus) kept
      WHERE i.account_id = $1 AND i.live_mode AND kept.amount <> 0) AS "surplusKept"`,
);

interface OwnBooks {
  readonly payments: { endToEndId: string; txid: string; amount: number }[];
  readonly returns: { id: string; amount: number }[];
  readonly underWay: number;
  readonly surplusKept: unknown[];
}

const readOwn = async ({ deps, merchant }: LiveShop): Promise<OwnBooks | undefined> => {
  const [own] = await run<OwnBooks & Record<string, unknown>>(deps.pool, readBooks, [merchant.accountId]);
  return own;
};

const byText = (one: string, other: string): number => (one < other ? -1 : 1);

/** The bank's books, of payments for our QR codes and of what went back. */
function bankBooks(psp: FakePsp, shop: LiveShop) {
  const { payments, returns } = psp.books(shop.credentials);
  return {
    payments: payments
      .flatMap(({ endToEndId, txid, amount }) => (txid === null ? [] : [{ endToEndId, txid, amount }]))
      .toSorted((one, other) => byText(one.endToEndId, other.endToEndId)),
    returns: returns
      .flatMap(({ id, amount, status }) => (status === 'DEVOLVIDO' ? [{ id, amount }] : []))
      .toSorted((one, other) => byText(one.id, other.id)),
  };
}

/** Both books, once they are at rest: equal, or money was lost or made up. */
export async function compareBooks(shop: LiveShop): Promise<{ ours: object; theirs: object; surplusKept: unknown[] }> {
  const own = await readOwn(shop);
  if (own === undefined) throw new Error('there are books');
  const { payments, returns, underWay, surplusKept } = own;
  return { ours: { payments, returns, underWay }, theirs: { ...bankBooks(shop.psp, shop), underWay: 0 }, surplusKept };
}

/** A refusal of a return may be that of a repeat for a minute; the return of a surplus is asked for again after a day. */
const LATER_SECONDS = 3 * 86_400;

function later(deps: Deps): Deps {
  const clock: Clock = {
    now: (at) => deps.clock.now(at) + LATER_SECONDS,
    real: () => deps.clock.real() + LATER_SECONDS,
  };
  return { ...deps, clock, ask: createAsk({ ...deps, clock }) };
}

/** The PSP is well again, what it never told is found, and everything that waits for time has had it. */
export async function recover(shop: LiveShop): Promise<void> {
  shop.psp.troubles.clear();
  await findUntold(shop);
}

/** The same at a PSP that is well. */
export async function findUntold(shop: LiveShop): Promise<void> {
  await shop.psp.quiet();
  await sleep(SECOND_OVER_MS);
  // A token that was refused is not asked for again at once.
  for (let tries = 1; (await sweep(shop.deps, shop.merchant.accountId)) !== 'swept'; tries += 1) {
    if (tries > SWEEPS_MAX) throw new Error('the sweep was not made');
    await sleep(SECOND_OVER_MS);
  }
  await shop.rest(later(shop.deps));
}
