import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { ErrorCode } from '../../contract/errors.ts';
import { readIn, statement, writeOf } from '../db/statement.ts';
import { canonical } from '../kernel/canonical.ts';
import { BillingError } from '../kernel/errors.ts';
import { places } from '../sealing/sealed-columns.ts';
import type { SecretBox } from '../sealing/secret-box.ts';
import { type Idempotency, isKeyHeld, storeAnswer, storeLease } from '../unit-of-work/idempotency.ts';

interface KeyRow {
  fingerprint: Buffer;
  status: number | null;
  answer: Buffer | null;
  attemptId: string | null;
  leased: boolean;
}

/** Rows are kept for 72 h of real time and removed by the retention run (docs/product/requests.md#idempotency). */
const findKey = statement<KeyRow>(
  'find_idempotency_key',
  `SELECT fingerprint, status, answer, attempt_id AS "attemptId", coalesce(lease_until > now(), false) AS leased
   FROM idempotency_key WHERE hash = :hash`,
);
const freeKey = statement(
  'free_idempotency_key',
  `DELETE FROM idempotency_key WHERE hash = :hash AND holder = :holder AND status IS NULL`,
);
const endLease = statement(
  'end_idempotency_lease',
  `UPDATE idempotency_key SET lease_until = NULL WHERE hash = :hash AND holder = :holder`,
);

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** What is to be done once, however often it is asked for. */
export interface KeyedRequest {
  readonly accountId: string;
  readonly liveMode: boolean;
  /** What is asked for, of what, and under which key. */
  readonly place: readonly string[];
  readonly body: unknown;
  /** The status of an answer that does not say its own. */
  readonly success: number;
}

/** How it is done. */
interface Doing<Prepared> {
  /** Goes along with the look for the first answer. */
  prepare(): Promise<Prepared>;
  handle(prepared: Prepared, idempotency: Idempotency): Promise<Answer>;
  /** The answer is that of an earlier request. */
  onReplay(): void;
}

const customerOf = (view: unknown): string | null => {
  if (typeof view !== 'object' || view === null) return null;
  if ('object' in view && view.object === 'customer' && 'id' in view) return String(view.id);
  return 'customer' in view && typeof view.customer === 'string' ? view.customer : null;
};

interface Claim extends Idempotency {
  readonly accountId: string;
  readonly liveMode: boolean;
  readonly hash: Buffer;
  readonly fingerprint: Buffer;
  /** Tells this run of the request from every other one under its key. */
  readonly holder: string;
  leased: boolean;
  formerAttempt: string | null;
}

interface KeyDeps {
  readonly pool: pg.Pool;
  readonly secretBox: SecretBox;
}

function claimOf({ secretBox }: KeyDeps, request: KeyedRequest): Claim {
  const { accountId, liveMode, body, success } = request;
  const place = [accountId, String(liveMode), ...request.place];
  const hash = secretBox.fingerprint(place);
  const fingerprint = secretBox.fingerprint([...place, canonical(body)]);
  const holder = randomUUID();
  const whose = { hash, accountId, liveMode, fingerprint, holder };
  const claim: Claim = {
    accountId,
    liveMode,
    hash,
    fingerprint,
    holder,
    leased: false,
    formerAttempt: null,
    answerWrite: (view, status = success) => {
      const answer = secretBox.seal(JSON.stringify(view), places.answer(accountId, hash));
      const { formerAttempt } = claim;
      return writeOf(storeAnswer, { ...whose, status, answer, customerId: customerOf(view), formerAttempt });
    },
    leaseWrite: (attemptId) => {
      claim.leased = true;
      return writeOf(storeLease, { ...whose, attemptId, formerAttempt: claim.formerAttempt });
    },
  };
  return claim;
}

/** The stored answer; null when the request is to run. */
async function recall({ pool, secretBox }: KeyDeps, claim: Claim): Promise<Answer | null> {
  const [row] = await readIn(pool, claim, findKey, { hash: claim.hash });
  if (row === undefined) return null;
  if (!row.fingerprint.equals(claim.fingerprint)) {
    throw new BillingError('IDEMPOTENCY_KEY_REUSED', {
      message: 'Another request came under this Idempotency-Key before',
    });
  }
  if (row.status !== null && row.answer !== null) {
    return {
      status: row.status,
      body: JSON.parse(secretBox.open(row.answer, places.answer(claim.accountId, claim.hash))),
    };
  }
  if (row.status !== null) {
    throw new BillingError('INVALID_STATE', {
      message: 'The answer to this Idempotency-Key was erased with the data of its customer',
    });
  }
  if (row.leased) throw inUse();
  claim.formerAttempt = row.attemptId;
  return null;
}

/** What another process answered under the key meanwhile; null when none came under it. Refuses while that one is at it. */
async function answeredElsewhere(deps: KeyDeps, claim: Claim): Promise<Answer | null> {
  if (claim.leased || claim.formerAttempt !== null) return null;
  const [row] = await readIn(deps.pool, claim, findKey, { hash: claim.hash });
  return row === undefined ? null : recallOther(deps, claim);
}

/** The answer of the request that holds the key; one without an answer may still find it. */
async function recallOther(deps: KeyDeps, claim: Claim): Promise<Answer> {
  const answer = await recall(deps, claim);
  if (answer === null) throw inUse();
  return answer;
}

/** Refusals after which the key goes on standing for its attempt: a decline is its answer, the others tell nothing of it. */
const KEPT: readonly ErrorCode[] = ['CARD_DECLINED', 'ACQUIRER_TIMEOUT', 'SERVICE_UNAVAILABLE'];

/** Ends the lease. The key is free again only when it is certain that the attempt came to nothing. */
async function release({ pool }: KeyDeps, claim: Claim, error: unknown): Promise<void> {
  if (!claim.leased) return;
  const isOver = error instanceof BillingError && !KEPT.includes(error.code);
  const { hash, holder } = claim;
  await readIn(pool, claim, isOver && claim.formerAttempt === null ? freeKey : endLease, { hash, holder });
}

/** Whether the request attempted nothing and was answered the outcome of its former attempt. */
const answersFormer = ({ formerAttempt, leased }: Claim): boolean => formerAttempt !== null && !leased;

const isDecline = (error: unknown): boolean => error instanceof BillingError && error.code === 'CARD_DECLINED';

const inUse = (): BillingError =>
  new BillingError('IDEMPOTENCY_KEY_IN_USE', {
    message: 'The first request under this Idempotency-Key still runs; repeat shortly',
  });

/** Runs keyed requests once: a repeat gets the first answer (docs/product/requests.md#idempotency). */
export function createKeyedRunner(deps: KeyDeps) {
  const running = new Set<string>();
  return async <Prepared>(request: KeyedRequest, { prepare, handle, onReplay }: Doing<Prepared>): Promise<Answer> => {
    const claim = claimOf(deps, request);
    const id = claim.hash.toString('base64');
    if (running.has(id)) throw inUse();
    running.add(id);
    const replayed = (answer: Answer): Answer => {
      onReplay();
      return answer;
    };
    try {
      const [recalled, prepared] = await Promise.all([recall(deps, claim), prepare()]);
      if (recalled !== null) return replayed(recalled);
      const answer = await handle(prepared, claim);
      return answersFormer(claim) ? replayed(answer) : answer;
    } catch (error) {
      if (answersFormer(claim) && isDecline(error)) onReplay();
      // Another process answered the same key between the look and the commit: its answer stands, ours was rolled back.
      if (isKeyHeld(error)) return replayed(await recallOther(deps, claim));
      // Its effect may also stand in the way of ours (an external_code it took): that is no conflict but the same request.
      const answered = error instanceof BillingError ? await answeredElsewhere(deps, claim) : null;
      if (answered !== null) return replayed(answered);
      await release(deps, claim, error).catch(() => {});
      throw error;
    } finally {
      running.delete(id);
    }
  };
}

export type KeyedRunner = ReturnType<typeof createKeyedRunner>;
