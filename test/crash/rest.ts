import { run } from '../../server/db/statement.ts';
import type { Deps } from '../../server/deps.ts';
import { createAsk } from '../../server/payments/acquirer/ask.ts';
import { createSandboxAcquirer } from '../../server/payments/acquirer/sandbox/adapter.ts';
import { resetBehaviour } from '../../server/payments/acquirer/sandbox/behaviour.ts';
import { caseSteps, type PlainCase } from '../../workflows/steps.ts';
import { ownStatement } from '../support/statements.ts';
import type { Shop } from './stage.ts';

/** Every wait of an account that only time ends has ended: at the acquirer, at the bank, and for another try of ours. */
const passTime = [
  `UPDATE charge_attempt SET deadline_at = now() - interval '1 minute' WHERE account_id = $1 AND status = 'sent'`,
  `UPDATE sandbox_bank.charge SET received_at = now() - interval '3 minutes', deadline_at = now() - interval '2 minutes',
     completes_at = least(completes_at, now()) WHERE account_id = $1`,
  `UPDATE sandbox_bank.estorno e SET received_at = now() - interval '2 hours'
   FROM sandbox_bank.charge c WHERE c.reference = e.charge AND c.account_id = $1`,
  `UPDATE sandbox_bank.pix b SET settles_at = least(b.settles_at, extract(epoch FROM now())::bigint - 1)
   FROM sandbox_bank.cob c WHERE c.txid = b.txid AND c.account_id = $1`,
  `UPDATE sandbox_bank.devolucao d SET received_at = now() - interval '2 hours',
     completes_at = least(d.completes_at, extract(epoch FROM now())::bigint - 1)
   FROM sandbox_bank.pix b JOIN sandbox_bank.cob c ON c.txid = b.txid WHERE b.end_to_end_id = d.end_to_end_id AND c.account_id = $1`,
  `UPDATE refund_part SET retry_at = created WHERE account_id = $1 AND retry_at IS NOT NULL`,
].map((text, index) => ownStatement(`test_pass_time_${index}`, text));

/** As if the first run of every keyed request had run out of its 90 seconds. */
const endLeases = ownStatement(
  'test_end_leases',
  `UPDATE idempotency_key SET lease_until = now() - interval '1 second' WHERE account_id = $1 AND lease_until > now()`,
);

export async function endLeasesOf(deps: Deps, { accountId }: Shop): Promise<void> {
  await run(deps.pool, endLeases, [accountId]);
}

export async function letTimePass(deps: Deps, { accountId }: Shop): Promise<void> {
  for (const passed of passTime) await run(deps.pool, passed, [accountId]);
}

/** The cases that are looked at; a letter stays with the relay, for nobody here waits for it. */
const CASES = Object.keys(caseSteps);

const takeWork = ownStatement(
  'test_take_work',
  `DELETE FROM outbox WHERE account_id = $1 AND kind = ANY ($2) RETURNING kind, key`,
);

/** A case of the account that the relay has started. */
export interface Work {
  readonly kind: PlainCase;
  readonly key: string;
}

const ROUNDS_MAX = 20;

/** Starts the account's cases as the relay would, each with one look; answers those that go on. */
export async function workOnce(deps: Deps, { accountId }: Shop): Promise<Work[]> {
  const taken = await run<Work & Record<string, unknown>>(deps.pool, takeWork, [accountId, CASES]);
  return lookAt(deps, taken);
}

async function lookAt(deps: Deps, works: readonly Work[]): Promise<Work[]> {
  const open: Work[] = [];
  for (const { kind, key } of works) if (!(await caseSteps[kind](deps, key)).done) open.push({ kind, key });
  return open;
}

/** The acquirer is well again and all its time has passed: every case of the account is seen through to its end. */
export async function bringToRest(deps: Deps, shop: Shop, started: readonly Work[] = []): Promise<void> {
  await resetBehaviour(deps.pool, shop.accountId);
  // The former one remembers for a second how the bank behaved.
  const acquirers = { ...deps.acquirers, sandbox: createSandboxAcquirer(deps.pool) };
  const recovered = { ...deps, acquirers, ask: createAsk({ ...deps, acquirers }) };
  let open = started;
  for (let rounds = 0; rounds < ROUNDS_MAX; rounds += 1) {
    await letTimePass(deps, shop);
    open = [...(await lookAt(recovered, open)), ...(await workOnce(recovered, shop))];
    if (open.length === 0 && !(await hasWork(deps, shop))) return;
  }
  throw new Error(`${shop.accountId} does not come to rest: ${JSON.stringify(open)}`);
}

const countWork = ownStatement(
  'test_count_work',
  'SELECT count(*)::int AS rows FROM outbox WHERE account_id = $1 AND kind = ANY ($2)',
);

async function hasWork({ pool }: Deps, { accountId }: Shop): Promise<boolean> {
  const [found] = await run<{ rows: number }>(pool, countWork, [accountId, CASES]);
  return found?.rows !== 0;
}
