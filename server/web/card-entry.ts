import type { Express, NextFunction, Request, Response } from 'express';
import { z } from 'zod';
import { CardInput } from '../../contract/payment-methods.ts';
import { readScope } from '../accounts/scope.ts';
import type { RateLimit, RateLimiter } from '../admission/rate-limit.ts';
import type { Tenant } from '../admission/tenant.ts';
import { run, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { countedAddress } from '../http/address.ts';
import type { Admission } from '../http/admit.ts';
import { bodyReader } from '../http/body.ts';
import { asyncMiddleware, setRoute } from '../http/request.ts';
import { withTextForms } from '../http/strict-contract.ts';
import { BillingError, invalidParameter } from '../kernel/errors.ts';
import { isLive, modeNotServed, modeOf } from '../kernel/mode.ts';
import { ownerOfPublishableKey, publishableKey } from '../kernel/publishable-key.ts';
import { requireAcquirer } from '../payments/acquirer/ask.ts';
import { makeSandboxToken } from '../payments/card/sandbox-token.ts';
import { buyerTextForms } from './page-requests.ts';

const ENTRY_PATH = '/api/v1/card_entry';
const TOKENS_PATH = '/api/v1/sandbox/card_tokens';

/** Of one address in a minute: many buyers of a shop may share one. */
const LIMIT: RateLimit = { name: 'card_entry', max: 300, block: 10 };
/** Many times a card. */
const BODY_BYTES_MAX = 8 * 1_024;

/** Where a browser sends a card, as its page is told (docs/product/cards.md#card-entry). */
type CardEntryView = { readonly object: 'card_entry' } & (
  | { readonly kind: 'own'; readonly url: null; readonly public_key: null; readonly shape: null }
  | { readonly kind: 'direct'; readonly url: string; readonly public_key: string; readonly shape: 'pagarme-v5' }
);

const hasAccount = statement('has_account', 'SELECT FROM account a WHERE a.id = :accountId');

/** Whom the key in a query names. */
async function ownerOf({ pool, settings }: Deps, { value, name }: { value: unknown; name: string }): Promise<Tenant> {
  const owner = typeof value === 'string' ? ownerOfPublishableKey(value) : null;
  if (owner === null)
    throw invalidParameter(name, `${name} must be a publishable key: GET /account answers it as publishable_key`);
  if (!settings.modes.includes(modeOf(owner))) throw modeNotServed(settings.modes);
  const [found] = await run(pool, hasAccount, { accountId: owner.accountId });
  if (found !== undefined) return owner;
  throw new BillingError('RESOURCE_MISSING', { message: `${name} names no account of this service`, param: name });
}

async function entryOf(deps: Deps, owner: Tenant): Promise<CardEntryView> {
  if (!owner.liveMode) return sandboxEntry(deps, owner);
  const { cardEntry } = await requireAcquirer(deps, await readScope(deps.pool, owner), 'card');
  if (cardEntry.kind === 'own') return { object: 'card_entry', kind: 'own', url: null, public_key: null, shape: null };
  const { kind, url, publicKey: public_key, shape } = cardEntry;
  return { object: 'card_entry', kind, url, public_key, shape };
}

/** As at Pagar.me, so that a page can be tried before there is an acquirer. */
function sandboxEntry({ settings }: Deps, owner: Tenant): CardEntryView {
  const public_key = publishableKey(owner);
  const url = new URL(TOKENS_PATH, settings.publicUrl);
  url.searchParams.set('appId', public_key);
  return { object: 'card_entry', kind: 'direct', url: url.href, public_key, shape: 'pagarme-v5' };
}

const typed = withTextForms(CardInput, buyerTextForms);

const TokenRequest = z.object({
  type: z.literal('card'),
  card: z.object({
    number: z.unknown(),
    exp_month: z.unknown(),
    exp_year: z.unknown(),
    cvv: z.unknown(),
    holder_name: z.string().trim().min(1).max(64),
  }),
});

/** What Pagar.me answers to a card that it does not take: the names of fields, and nothing of what came. */
class TokenRefusal extends Error {
  readonly errors: Readonly<Record<string, readonly string[]>>;
  constructor(paths: readonly (readonly PropertyKey[])[]) {
    super('The request is invalid.');
    this.errors = Object.fromEntries(
      paths.map((path) => [['request', ...path].join('.'), ['The field is not valid.']]),
    );
  }
}

function readTyped(body: unknown): { card: CardInput; holderName: string } {
  const request = TokenRequest.safeParse(body);
  if (!request.success) throw new TokenRefusal(request.error.issues.map(({ path }) => path));
  const { cvv: cvc, holder_name: holderName, ...rest } = request.data.card;
  const card = typed.safeParse({ ...rest, cvc });
  // The checks of the texts' forms hide the type of what they check.
  if (card.success) return { card: card.data as CardInput, holderName };
  throw new TokenRefusal(
    card.error.issues.map(({ path: [field] }) => ['card', field === 'cvc' ? 'cvv' : (field ?? 'number')]),
  );
}

async function makeToken(deps: Deps, { accountId }: Tenant, body: unknown): Promise<object> {
  const { card, holderName: holder_name } = readTyped(body);
  try {
    const { id, createdMs, expiresMs, ...made } = await makeSandboxToken(deps, accountId, card);
    const { brand, last4: last_four_digits, expMonth: exp_month, expYear: exp_year } = made;
    return {
      id,
      type: 'card',
      created_at: new Date(createdMs).toISOString(),
      expires_at: new Date(expiresMs).toISOString(),
      card: { last_four_digits, brand, holder_name, exp_month, exp_year },
    };
  } catch (error) {
    throw error instanceof BillingError && error.param !== null ? new TokenRefusal([error.param.split('.')]) : error;
  }
}

/** Any page may ask: what is answered is no secret, and no cookie counts. */
function allowAnyOrigin(response: Response): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
}

/** Tells pages of merchants where cards go, and takes those of the sandbox, as an acquirer would. */
export function mountCardEntry(
  app: Express,
  deps: Deps,
  { rateLimiter, admission }: { rateLimiter: RateLimiter; admission: Admission },
): void {
  const open = (path: string, scope: 'read' | 'write') =>
    asyncMiddleware(async (request, response) => {
      setRoute(request, { path, scope });
      allowAnyOrigin(response);
      const { allowed, resetSeconds } = await rateLimiter.consume(countedAddress(request.ip), LIMIT);
      if (allowed) return;
      const message = `More than ${LIMIT.max} requests a minute from this address; repeat in ${resetSeconds} s`;
      throw new BillingError('RATE_LIMITED', { message, retryAfterSeconds: resetSeconds });
    });
  const forOwner = async <T>(request: Request, param: 'key' | 'appId', work: (owner: Tenant) => Promise<T>) => {
    const owner = await ownerOf(deps, { name: param, value: request.query[param] });
    request.concerns = owner;
    return admission.run(request, { ...owner, by: 'buyer' }, () => work(owner));
  };

  app.get(ENTRY_PATH, open(ENTRY_PATH, 'read'), async (request, response) => {
    response.json(await forOwner(request, 'key', (owner) => entryOf(deps, owner)));
  });
  app.options(TOKENS_PATH, (_request, response) => {
    allowAnyOrigin(response);
    response.setHeader('Access-Control-Allow-Methods', 'POST');
    response.setHeader('Access-Control-Allow-Headers', 'Content-Type');
    response.setHeader('Access-Control-Max-Age', '7200').status(204).end();
  });
  const take = async (request: Request, response: Response): Promise<void> => {
    const make = (owner: Tenant): Promise<object> => {
      if (isLive(modeOf(owner)))
        throw new BillingError('ENVIRONMENT_MISMATCH', {
          message: 'Cards of live mode go to the acquirer',
          param: 'appId',
        });
      return makeToken(deps, owner, request.body);
    };
    response.json(await forOwner(request, 'appId', make));
  };
  const refuse = (error: unknown, _request: Request, response: Response, next: NextFunction): void => {
    if (error instanceof TokenRefusal) response.status(422).json({ message: error.message, errors: error.errors });
    else next(error);
  };
  app.post(TOKENS_PATH, open(TOKENS_PATH, 'write'), bodyReader(BODY_BYTES_MAX), take, refuse);
}
