import { randomUUID } from 'node:crypto';
import type { AppRoute } from '@ts-rest/core';
import type { Request, Response } from 'express';
import type { ErrorCode } from '../../contract/errors.ts';
import { readMovingClock, refuseWhileMoving } from '../accounts/clock.ts';
import { readScope } from '../accounts/scope.ts';
import type { Origin } from '../audit-log/audit-log.ts';
import { outlineOf } from '../audit-log/outline.ts';
import { readIn, statement, writeOf } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { canonical } from '../kernel/canonical.ts';
import { BillingError } from '../kernel/errors.ts';
import { type AccountClock, REAL_CLOCK } from '../kernel/time.ts';
import { places } from '../sealing/sealed-columns.ts';
import { type Idempotency, isKeyHeld, storeAnswer, storeLease } from '../unit-of-work/idempotency.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { refuseMissing } from './named-objects.ts';
import { routeOf } from './request.ts';

const KEY_LENGTH_MAX = 255;
const REPLAYED = 'Idempotent-Replayed';

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

const customerOf = (view: unknown): string | null => {
  if (typeof view !== 'object' || view === null) return null;
  if ('object' in view && view.object === 'customer' && 'id' in view) return String(view.id);
  return 'customer' in view && typeof view.customer === 'string' ? view.customer : null;
};

/** What a route answers when nothing else is said: a creation 201, even where a repeat may answer 200. */
export const successStatus = ({ responses }: AppRoute): number =>
  [201, 202].find((status) => status in responses) ?? 200;

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

function readKey(request: Request): string | null {
  const key = request.get('idempotency-key');
  if (key === undefined || (request.method !== 'POST' && request.method !== 'PATCH')) return null;
  if (key.length < 1 || key.length > KEY_LENGTH_MAX) {
    const message = `Idempotency-Key must have 1 to ${KEY_LENGTH_MAX} characters, has ${key.length}`;
    throw new BillingError('PARAMETER_INVALID', { message, param: 'Idempotency-Key' });
  }
  return key;
}

/** Keys are stored under the paths as they were first written, whatever a parameter is called since. */
const storedPath = (path: string): string => path.replace(/:\w+_id\b/, ':id');

type KeyDeps = Pick<Deps, 'pool' | 'secretBox'>;

function claimOf({ secretBox }: KeyDeps, request: Request, key: string): Claim {
  const { accountId, liveMode } = request.identity;
  const route = routeOf(request);
  // The route and its parameters, not the path: a request may spell one path in several ways.
  const parameters = Object.values(request.params).map(String);
  const place = [accountId, String(liveMode), route.method, storedPath(route.path), ...parameters, key];
  const hash = secretBox.fingerprint(place);
  const fingerprint = secretBox.fingerprint([...place, canonical(request.body)]);
  const success = successStatus(route);
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
async function recall({ pool, secretBox }: KeyDeps, claim: Claim, response: Response): Promise<Answer | null> {
  const [row] = await readIn(pool, claim, findKey, { hash: claim.hash });
  if (row === undefined) return null;
  if (!row.fingerprint.equals(claim.fingerprint)) {
    throw new BillingError('IDEMPOTENCY_KEY_REUSED', {
      message: 'Another request came under this Idempotency-Key before',
    });
  }
  if (row.status !== null && row.answer !== null) {
    response.setHeader(REPLAYED, 'true');
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
async function answeredElsewhere(deps: KeyDeps, claim: Claim, response: Response): Promise<Answer | null> {
  if (claim.leased || claim.formerAttempt !== null) return null;
  const [row] = await readIn(deps.pool, claim, findKey, { hash: claim.hash });
  return row === undefined ? null : recallOther(deps, claim, response);
}

/** The answer of the request that holds the key; one without an answer may still find it. */
async function recallOther(deps: KeyDeps, claim: Claim, response: Response): Promise<Answer> {
  const answer = await recall(deps, claim, response);
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

/** The clock of a sandbox that was being moved a moment ago. While it still is, what a request names is looked for first: 404 comes before 409. */
async function clockToChangeBy(pool: KeyDeps['pool'], request: Request): Promise<AccountClock> {
  const clock = await readMovingClock(pool, request.identity);
  if (clock.target !== null) await refuseMissing(pool, request);
  return refuseWhileMoving(clock);
}

/** What the handler works in. Nothing of a sandbox is changed by requests while its clock is moved; reads pass (docs/product/test-clock.md#advancing). */
async function scopeOfWork(
  { pool }: KeyDeps,
  request: Request,
  { scope, idempotency }: { scope: Scope; idempotency?: Idempotency },
): Promise<Scope> {
  const isAnswered = scope.clock.heldAt === null || routeOf(request).method === 'GET';
  const clock = isAnswered ? scope.clock : await clockToChangeBy(pool, request);
  return { ...scope, clock, idempotency };
}

/** A live account's terms came with its key, and its clock never moves. */
async function scopeOfKey({ pool }: KeyDeps, request: Request): Promise<Scope> {
  const { accountId, liveMode, account } = request.identity;
  const scope = liveMode
    ? { accountId, liveMode, account, clock: REAL_CLOCK }
    : await readScope(pool, request.identity);
  const { person } = request.identity;
  return { ...scope, origin: originOf(request), ...(person === undefined ? {} : { refunds: person.refunds }) };
}

/** Who asked, as the audit log tells of what is changed by it. */
function originOf({ identity, ip, requestId, params, body }: Request): Origin {
  const from = { host: null, address: ip ?? null, requestId };
  const { person } = identity;
  if (person === undefined) return { actor: { kind: 'api_key', id: identity.keyId }, ...from };
  const { id, name, operation } = person;
  const object = Object.values(params).map(String)[0] ?? null;
  const asked = { operation, object, values: outlineOf(body), isTold: false };
  return { actor: { kind: 'staff', id, user: name }, ...from, asked };
}

/** Runs keyed requests once: a repeat gets the first answer (docs/product/requests.md#idempotency). */
export function createIdempotentRunner(deps: KeyDeps) {
  const running = new Set<string>();
  return async (request: Request, response: Response, handle: (scope: Scope) => Promise<Answer>): Promise<Answer> => {
    const key = readKey(request);
    if (key === null) {
      return handle(await scopeOfWork(deps, request, { scope: await scopeOfKey(deps, request) }));
    }
    const claim = claimOf(deps, request, key);
    const id = claim.hash.toString('base64');
    if (running.has(id)) throw inUse();
    running.add(id);
    try {
      const looks = [recall(deps, claim, response), scopeOfKey(deps, request)] as const;
      const [recalled, scope] = await Promise.all(looks);
      if (recalled !== null) return recalled;
      const answer = await handle(await scopeOfWork(deps, request, { scope, idempotency: claim }));
      if (answersFormer(claim)) response.setHeader(REPLAYED, 'true');
      return answer;
    } catch (error) {
      if (answersFormer(claim) && isDecline(error)) response.setHeader(REPLAYED, 'true');
      // Another process answered the same key between the look and the commit: its answer stands, ours was rolled back.
      if (isKeyHeld(error)) return recallOther(deps, claim, response);
      // Its effect may also stand in the way of ours (an external_code it took): that is no conflict but the same request.
      const answered = error instanceof BillingError ? await answeredElsewhere(deps, claim, response) : null;
      if (answered !== null) return answered;
      await release(deps, claim, error).catch(() => {});
      throw error;
    } finally {
      running.delete(id);
    }
  };
}

/** Whether the request attempted nothing and was answered the outcome of its former attempt. */
const answersFormer = ({ formerAttempt, leased }: Claim): boolean => formerAttempt !== null && !leased;

const isDecline = (error: unknown): boolean => error instanceof BillingError && error.code === 'CARD_DECLINED';

const inUse = (): BillingError =>
  new BillingError('IDEMPOTENCY_KEY_IN_USE', {
    message: 'The first request under this Idempotency-Key still runs; repeat shortly',
  });

export type IdempotentRunner = ReturnType<typeof createIdempotentRunner>;
