import type { Request, RequestHandler, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { type RateLimitName, routeLimits } from '../../contract/kernel.ts';
import type { Authenticate, Identity } from '../accounts/authentication.ts';
import { type Limit, type RateLimiter, type Verdict, WINDOW_SECONDS } from '../accounts/rate-limit.ts';
import type { Settings } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { realTimeMs } from '../kernel/time.ts';
import { countedAddress } from './address.ts';
import { asyncMiddleware, routeOf } from './request.ts';

/** A fiftieth of the general limit is taken from the database at once, so that most requests write nothing. */
const BLOCKS_PER_WINDOW = 50;

/** Tries with keys that do not exist, per minute and address (docs/product/requests.md#api-keys). */
const unknownKeyLimit: Limit = { name: 'unknown_key', max: 20, block: 1 };

function limitOf(identity: Identity, name: RateLimitName | undefined, settings: Settings): Limit {
  if (name !== undefined) return { name, max: identity.limits[name] ?? routeLimits[name], block: 1 };
  const perSecond = identity.liveMode ? settings.rateLimit.livePerSecond : settings.rateLimit.sandboxPerSecond;
  const max = identity.limits.general ?? perSecond * WINDOW_SECONDS;
  return { name: 'general', max, block: Math.max(1, Math.floor(max / BLOCKS_PER_WINDOW)) };
}

function tellLimit(response: Response, { limit, remaining, resetSeconds }: Verdict): void {
  response.setHeader('RateLimit-Policy', `"${limit.name}";q=${limit.max};w=${WINDOW_SECONDS}`);
  response.setHeader('RateLimit', `"${limit.name}";r=${remaining};t=${resetSeconds}`);
}

function refuse(response: Response, verdict: Verdict, whose: string): never {
  response.setHeader('Retry-After', String(verdict.resetSeconds));
  const { max, name } = verdict.limit;
  throw new BillingError('RATE_LIMITED', {
    message: `The limit "${name}" of ${max} requests a minute ${whose} is used up; repeat in ${verdict.resetSeconds} s`,
  });
}

/** Addresses of which more look-ups are counted than their tries allow; the ones that came last. */
const STRANGERS_MAX = 10_000;
const LOOK_UPS_MAX = 100;

/**
 * Bounds the look-ups that made-up keys cost once their address used up its tries. Some are left: a real key that this process
 * has not seen yet may come from there, most of all where a proxy hides the addresses.
 */
export function createStrangers() {
  const lookUps = new LRUCache<string, { readonly untilMs: number; count: number }>({ max: STRANGERS_MAX });
  return {
    mayAsk(address: string, { resetSeconds }: Verdict): boolean {
      const nowMs = realTimeMs();
      const known = lookUps.get(address);
      const window = known === undefined || known.untilMs <= nowMs ? null : known;
      const counted = window ?? { untilMs: nowMs + resetSeconds * 1_000, count: 0 };
      lookUps.set(address, counted);
      counted.count += 1;
      return counted.count <= LOOK_UPS_MAX;
    },
  };
}

interface AuthorizeDeps {
  readonly authenticate: Authenticate;
  readonly strangers: ReturnType<typeof createStrangers>;
  readonly rateLimiter: RateLimiter;
  readonly settings: Settings;
}

async function identify(deps: AuthorizeDeps, request: Request, response: Response): Promise<Identity> {
  const address = countedAddress(request.ip);
  const hold = (verdict: Verdict): void => {
    tellLimit(response, verdict);
    if (!verdict.allowed) refuse(response, verdict, 'with unknown API keys from this address');
  };
  const admitStranger = (): void => {
    const verdict = deps.rateLimiter.spent(address, unknownKeyLimit);
    if (verdict !== null && !deps.strangers.mayAsk(address, verdict)) hold(verdict);
  };
  try {
    return await deps.authenticate(request.get('authorization'), admitStranger);
  } catch (error) {
    if (error instanceof BillingError && error.code === 'API_KEY_INVALID') {
      hold(await deps.rateLimiter.consume(address, unknownKeyLimit));
    }
    if (error instanceof BillingError) response.setHeader('WWW-Authenticate', 'ApiKey');
    throw error;
  }
}

async function admit(
  deps: AuthorizeDeps,
  { request, response, limit }: { request: Request; response: Response; limit: RateLimitName | undefined },
): Promise<Identity> {
  const identity = await identify(deps, request, response);
  const verdict = await deps.rateLimiter.consume(identity.keyId, limitOf(identity, limit, deps.settings));
  tellLimit(response, verdict);
  if (!verdict.allowed) refuse(response, verdict, 'of this API key');
  return identity;
}

/** 401, then 429, then 403: in the order of docs/product/requests.md#order-of-refusals. */
export function authorize(deps: AuthorizeDeps): RequestHandler {
  return asyncMiddleware(async (request, response) => {
    const { metadata } = routeOf(request);
    const identity = await admit(deps, { request, response, limit: metadata.limit });
    if (metadata.scope === 'write' && identity.scope === 'read') {
      throw new BillingError('PERMISSION_DENIED', { message: 'This API key may only read' });
    }
    if (metadata.sandboxOnly === true && identity.liveMode) {
      throw new BillingError('ENVIRONMENT_MISMATCH', {
        message: 'This route exists in the sandbox alone; the API key is a live one',
      });
    }
    request.identity = identity;
  });
}

/** A request to no route of the contract: 401 and 429 come first there too. */
export function requireKey(deps: AuthorizeDeps): RequestHandler {
  return asyncMiddleware(async (request, response) => {
    request.identity = await admit(deps, { request, response, limit: undefined });
  });
}
