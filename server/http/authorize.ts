import type { Request, RequestHandler, Response } from 'express';
import { type RateLimitName, routeLimits } from '../../contract/kernel.ts';
import type { Authenticate, Authenticated, Identity, KeyRefusal } from '../accounts/authentication.ts';
import type { KeyUses } from '../accounts/key-use.ts';
import { type RateLimit, type RateLimiter, type Verdict, WINDOW_SECONDS } from '../admission/rate-limit.ts';

import type { Settings } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { countedAddress } from './address.ts';
import type { createKeyLookups } from './key-lookups.ts';
import { isPrivate, plainHttpRefusal } from './private.ts';
import { tellLimit } from './rate-limit-headers.ts';
import { asyncMiddleware, routeOf } from './request.ts';

/** A fiftieth of the limit a minute is taken from the database at once, so that most requests write nothing. */
const BLOCKS_PER_WINDOW = 50;

/** Tries with keys that do not exist, per minute and address (docs/product/requests.md#api-keys). */
const unknownKeyLimit: RateLimit = { name: 'unknown_key', max: 20, block: 1 };
const UNKNOWN_KEYS = 'with unknown API keys from this address';
/** Tries from where the key may not be used; the merchant's own requests are counted apart, so a thief uses up none of theirs. */
const wrongNetworkLimit: RateLimit = { name: 'wrong_network', max: 20, block: 1 };

type Limited = Pick<Identity, 'limits' | 'liveMode'>;

function minuteMax({ limits, liveMode }: Limited, { rateLimit }: Pick<Settings, 'rateLimit'>): number {
  return limits.minute ?? (liveMode ? rateLimit.livePerSecond : rateLimit.sandboxPerSecond) * WINDOW_SECONDS;
}

function limitOf(identity: Identity, name: RateLimitName | undefined, settings: Settings): RateLimit {
  if (name !== undefined) return { name, max: identity.limits[name] ?? routeLimits[name], block: 1 };
  const max = minuteMax(identity, settings);
  return { name: 'minute', max, block: Math.max(1, Math.floor(max / BLOCKS_PER_WINDOW)) };
}

function tellVerdict(response: Response, { limit, remaining, resetSeconds }: Verdict): void {
  tellLimit(response, {
    policy: `"${limit.name}";q=${limit.max};w=${WINDOW_SECONDS}`,
    left: `"${limit.name}";r=${remaining};t=${resetSeconds}`,
  });
}

function refuse(response: Response, verdict: Verdict, whose: string): never {
  response.setHeader('Retry-After', String(verdict.resetSeconds));
  const { max, name } = verdict.limit;
  throw new BillingError('RATE_LIMITED', {
    message: `The limit "${name}" of ${max} requests a minute ${whose} is used up; repeat in ${verdict.resetSeconds} s`,
  });
}

interface AuthorizeDeps {
  readonly authenticate: Authenticate;
  readonly keyLookups: ReturnType<typeof createKeyLookups>;
  readonly rateLimiter: RateLimiter;
  readonly keyUses: KeyUses;
  readonly settings: Settings;
  /** Told of each key that was not let in, or not to where it asked. */
  readonly refused: (reason: KeyRefusal) => void;
}

async function identify(deps: AuthorizeDeps, request: Request, response: Response): Promise<Authenticated> {
  const address = countedAddress(request.ip);
  const admitLookup = (): void => {
    const verdict = deps.rateLimiter.spent(address, unknownKeyLimit);
    if (verdict === null || deps.keyLookups.mayAsk(address, verdict)) return;
    tellVerdict(response, verdict);
    refuse(response, verdict, UNKNOWN_KEYS);
  };
  try {
    return await deps.authenticate(request.get('authorization'), admitLookup);
  } catch (error) {
    if (error instanceof BillingError && error.code === 'API_KEY_INVALID') {
      await countByAddress(deps, { request, response }, unknownKeyLimit, UNKNOWN_KEYS);
    }
    throw error;
  }
}

type Bucket = { readonly bucket: string; readonly limit: RateLimitName | undefined };

type Exchange = { readonly request: Request; readonly response: Response };

async function countByAddress(
  { rateLimiter }: AuthorizeDeps,
  { request, response }: Exchange,
  limit: RateLimit,
  whose: string,
): Promise<void> {
  const verdict = await rateLimiter.consume(countedAddress(request.ip), limit);
  tellVerdict(response, verdict);
  if (!verdict.allowed) refuse(response, verdict, whose);
}

function denied(deps: AuthorizeDeps, reason: KeyRefusal, message: string): BillingError {
  deps.refused(reason);
  return new BillingError('PERMISSION_DENIED', { message });
}

async function refuseWrongNetwork(deps: AuthorizeDeps, exchange: Exchange, identity: Authenticated): Promise<void> {
  const { ip } = exchange.request;
  if (identity.isAllowedFrom(ip)) return;
  await countByAddress(deps, exchange, wrongNetworkLimit, 'with API keys that may not be used from this address');
  throw denied(deps, 'wrong_network', `This API key may not be used from ${ip ?? 'an unknown address'}`);
}

/** Counts a request of whoever was let in, under a bucket of theirs; refuses it where too many came. */
export async function holdToLimit(
  { rateLimiter, settings }: Pick<AuthorizeDeps, 'rateLimiter' | 'settings'>,
  { request, response, bucket, limit }: Exchange & Bucket,
): Promise<void> {
  const verdict = await rateLimiter.consume(bucket, limitOf(request.identity, limit, settings));
  tellVerdict(response, verdict);
  if (!verdict.allowed) refuse(response, verdict, request.identity.person ? 'of yours' : 'of this API key');
}

async function admit(
  deps: AuthorizeDeps,
  { request, response, limit }: Exchange & { limit: RateLimitName | undefined },
): Promise<Identity> {
  const authenticated = await identify(deps, request, response);
  const { bucket, isAllowedFrom: _, ...identity } = authenticated;
  // Whoever is refused from here on is known: its line in the log says who it was.
  request.identity = identity;
  await refuseWrongNetwork(deps, { request, response }, authenticated);
  await holdToLimit(deps, { request, response, bucket, limit });
  if (identity.liveMode && !isPrivate(request)) throw denied(deps, 'plain_http', plainHttpRefusal(request));
  deps.keyUses.saw(identity.keyId);
  return identity;
}

/** 401, 421, 403 of the network, 429, any other 403: in the order of docs/product/requests.md#order-of-refusals. */
export function authorize(deps: AuthorizeDeps): RequestHandler {
  return asyncMiddleware(async (request, response) => {
    const { metadata } = routeOf(request);
    const identity = await admit(deps, { request, response, limit: metadata.limit });
    if (metadata.scope === 'write' && identity.scope === 'read') {
      throw denied(deps, 'scope', 'This API key may only read');
    }
    if (metadata.sandboxOnly === true && identity.liveMode) {
      throw new BillingError('ENVIRONMENT_MISMATCH', {
        message: 'This route exists in the sandbox alone; the API key is a live one',
      });
    }
  });
}

/** A request to no route of the contract: 401 and 429 come first there too. */
export function requireKey(deps: AuthorizeDeps): RequestHandler {
  return asyncMiddleware(async (request, response) => {
    await admit(deps, { request, response, limit: undefined });
  });
}
