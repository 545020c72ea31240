import type { AppRoute } from '@ts-rest/core';
import type { Request, Response } from 'express';
import { readMovingClock, refuseWhileMoving } from '../accounts/clock.ts';
import { readScope } from '../accounts/scope.ts';
import type { Origin } from '../audit-log/audit-log.ts';
import { outlineOf } from '../audit-log/outline.ts';
import type { Deps } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { type AccountClock, REAL_CLOCK } from '../kernel/time.ts';
import type { Idempotency } from '../unit-of-work/idempotency.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { type Answer, createKeyedRunner, type KeyedRequest } from './keyed.ts';
import { refuseMissing } from './named-objects.ts';
import { routeOf } from './request.ts';

const KEY_LENGTH_MAX = 255;
const REPLAYED = 'Idempotent-Replayed';

/** What a route answers when nothing else is said: a creation 201, even where a repeat may answer 200. */
export const successStatus = ({ responses }: AppRoute): number =>
  [201, 202].find((status) => status in responses) ?? 200;

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

/** The route and its parameters, not the path: a request may spell one path in several ways. */
function keyedRequest(request: Request, key: string): KeyedRequest {
  const { accountId, liveMode } = request.identity;
  const route = routeOf(request);
  const parameters = Object.values(request.params).map(String);
  const place = [route.method, storedPath(route.path), ...parameters, key];
  return { accountId, liveMode, place, body: request.body, success: successStatus(route) };
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
  const { accountId, liveMode, account, reads } = request.identity;
  const scope = liveMode
    ? { accountId, liveMode, account, clock: REAL_CLOCK }
    : await readScope(pool, request.identity);
  const { person } = request.identity;
  return {
    ...scope,
    origin: originOf(request),
    ...(person === undefined ? {} : { refunds: person.refunds }),
    ...(reads === 'eventual' ? { reads } : {}),
  };
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
  const runKeyed = createKeyedRunner(deps);
  return async (request: Request, response: Response, handle: (scope: Scope) => Promise<Answer>): Promise<Answer> => {
    const key = readKey(request);
    if (key === null) {
      return handle(await scopeOfWork(deps, request, { scope: await scopeOfKey(deps, request) }));
    }
    return runKeyed(keyedRequest(request, key), {
      prepare: () => scopeOfKey(deps, request),
      handle: async (scope, idempotency) => handle(await scopeOfWork(deps, request, { scope, idempotency })),
      onReplay: () => response.setHeader(REPLAYED, 'true'),
    });
  };
}

export type IdempotentRunner = ReturnType<typeof createIdempotentRunner>;
