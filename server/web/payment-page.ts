import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';
import type { CheckoutInput } from '../../contract/payment-methods.ts';
import { readLook } from '../accounts/look.ts';
import type { Limit, RateLimiter } from '../accounts/rate-limit.ts';
import type { BuyerForm } from '../checkout/attach.ts';
import { workFor } from '../db/owner.ts';
import type { Deps } from '../deps.ts';
import type { IdempotentRunner } from '../http/idempotency.ts';
import { setRoute } from '../http/request.ts';
import { BillingError } from '../kernel/errors.ts';
import { realTimeMs } from '../kernel/time.ts';
import { payPix } from '../payments/pix/pay.ts';
import { ASSETS, assetRouter, assetsAt, type BuiltPages } from './built.ts';
import type { BuyerValues } from './checkout/buyer-fields.ts';
import { type Assets, isFinal, type PageAnswer, type Problem, type PurchaseView } from './checkout/page-data.ts';
import { createInvoiceSource } from './invoice-purchase.ts';
import { createStreams, type Streams } from './live.ts';
import { LOGOS, logoRouter } from './logos.ts';
import { accentStyle, viewLook } from './look.ts';
import { withMethods } from './methods.ts';
import { SECRECY, sendData, sendPage } from './page.ts';
import {
  admit,
  readBuyer,
  readCard,
  readForm,
  readNothing,
  refusedBy,
  refuseOtherSites,
  refuseOtherSitesForm,
  refusePlainHttp,
  requireKey,
  tries,
} from './page-requests.ts';
import { isMissing, type Missing, type Purchase, type PurchaseSource, viewPurchase } from './purchase.ts';
import { createSessionSource } from './session-purchase.ts';
import { createSubscriptionSource } from './subscription-purchase.ts';
import { testCards } from './test-cards.ts';

/** What the pages need beside the dependencies of every use case. */
export interface PageParts {
  readonly built: BuiltPages;
  readonly runner: IdempotentRunner;
  readonly rateLimiter: RateLimiter;
  /** Once aborted, no page is told anything more by a stream. */
  readonly draining: AbortSignal;
}

interface Context extends PageParts {
  readonly deps: Deps;
  readonly source: PurchaseSource<Purchase>;
  readonly streams: Streams;
  /** Where the script and the style are, from a page of this kind. */
  readonly assets: Assets;
}

type Link = Record<string, string>;
type LinkRequest = Request<Link>;
type Handler = (request: LinkRequest, response: Response) => Promise<void>;
type Asked = { readonly request: LinkRequest; readonly response: Response; readonly purchase: Purchase };

const viewNow = ({ clock }: Pick<Deps, 'clock'>, purchase: Purchase): PurchaseView =>
  viewPurchase(purchase, { now: clock.now(purchase.scope), readAtMs: realTimeMs() });

const MISSING_STATUS: Readonly<Record<Missing, number>> = { not_found: 404, gone: 410 };

const sendMissing = ({ built: { renderer }, assets }: Context, response: Response, missing: Missing): void =>
  sendPage(response, { status: MISSING_STATUS[missing], page: renderer.renderMessage(missing, assets), style: null });

async function sendPurchase(
  { deps, built, assets }: Context,
  response: Response,
  { purchase, ...shown }: { purchase: Purchase; status: number; problem: Problem | null; typed: BuyerValues | null },
): Promise<void> {
  const { status, problem, typed } = shown;
  const look = await readLook(deps.pool, purchase.scope.accountId);
  const data = {
    purchase: viewNow(deps, purchase),
    problem,
    typed,
    testCards: purchase.scope.liveMode ? [] : testCards,
    look: viewLook(look, { logos: `../../${LOGOS}` }),
  };
  const style = accentStyle(look.color);
  sendPage(response, { status, page: built.renderer.renderPurchase(data, assets, style), style });
}

/** Whoever holds a link acts for its purchase, in the account and mode of that. */
function actFor(request: Request, { scope }: Purchase): void {
  const { accountId, liveMode, account } = scope;
  request.identity = { keyId: 'link', accountId, liveMode, account, scope: 'full', limits: {} };
}

/** What the link of a request leads to; the line of the request names its account. */
async function findOf({ source }: Pick<Context, 'source'>, request: LinkRequest): Promise<Purchase | Missing> {
  const found = await source.find(request.params);
  if (isMissing(found)) request.refusedWith = MISSED.problem.code;
  else request.concerns = found.scope;
  return found;
}

const DONE = { status: 200, body: null };

/** Pays in the scope of the purchase, as it stands then; under an Idempotency-Key once. */
async function charge(
  { runner, source }: Context,
  { request, response, purchase }: Asked,
  checkout: CheckoutInput,
): Promise<void> {
  await runner(request, response, async (scope) => {
    await source.pay(scope, purchase, checkout);
    return DONE;
  });
}

async function identify(
  { runner, source }: Context,
  { request, response, purchase }: Asked,
  buyer: BuyerForm,
): Promise<void> {
  await runner(request, response, async (scope) => {
    await source.fill(scope, { id: purchase.id, buyer });
    return DONE;
  });
}

const showPage =
  (context: Context): Handler =>
  async (request, response) => {
    const purchase = await findOf(context, request);
    if (isMissing(purchase)) return sendMissing(context, response, purchase);
    if (purchase.leadsTo !== null) return void response.set(SECRECY).redirect(303, purchase.leadsTo);
    await sendPurchase(context, response, { purchase, status: 200, problem: null, typed: null });
  };

/**
 * A form of a page without a script: who pays, or the button that makes the QR code or finds the one that stands. The page
 * behind the redirect shows what comes next.
 */
const takeForm =
  (context: Context): Handler =>
  async (request, response) => {
    const { deps, rateLimiter } = context;
    const purchase = await findOf(context, request);
    if (isMissing(purchase)) return sendMissing(context, response, purchase);
    let typed: BuyerValues | null = null;
    try {
      refuseOtherSitesForm(request, deps.settings.publicUrl);
      const form = await readForm(request, response);
      typed = form?.typed ?? null;
      await admit(rateLimiter, response, { id: purchase.id, limit: form === null ? tries.pix : tries.buyer });
      actFor(request, purchase);
      const asked = { request, response, purchase };
      if (form === null) await charge(context, asked, { payment_method_type: 'pix' });
      else await identify(context, asked, form.buyer());
    } catch (error) {
      const { status, problem } = refusedBy(deps, error, request);
      // The refusal may have come with news, such as a payment that was found.
      const now = await findOf(context, request);
      return sendPurchase(context, response, { purchase: isMissing(now) ? purchase : now, status, problem, typed });
    }
    // Relative, so that it holds behind a proxy that serves us under a path of its own.
    response.set('Cache-Control', 'no-store').redirect(303, `./${request.path.split('/').at(-1)}`);
  };

/** What the script of a page asks for; whatever comes of it, the answer has the purchase as it stands then. */
const action =
  (context: Context, { limit, act }: { limit: Limit; act: (asked: Asked) => Promise<void> }): Handler =>
  async (request, response) => {
    const { deps, rateLimiter } = context;
    const purchase = await findOf(context, request);
    if (isMissing(purchase)) return sendAnswer(response, { ...MISSED, status: MISSING_STATUS[purchase] });
    let refused: { status: number; problem: Problem | null } = { status: 200, problem: null };
    try {
      refuseOtherSites(request, deps.settings.publicUrl);
      await admit(rateLimiter, response, { id: purchase.id, limit });
      actFor(request, purchase);
      await act({ request, response, purchase });
    } catch (error) {
      refused = refusedBy(deps, error, request);
    }
    const standing = await findOf(context, request);
    sendAnswer(response, { ...refused, purchase: isMissing(standing) ? null : viewNow(deps, standing) });
  };

const MISSED = {
  problem: { code: 'RESOURCE_MISSING', declineReason: null, fields: [] },
  purchase: null,
} as const satisfies PageAnswer;

function sendAnswer(response: Response, { status, ...body }: PageAnswer & { status: number }): void {
  // An answer that took too long was given up on.
  if (!response.headersSent) sendData(response, { status, body });
}

const payByCard = (context: Context) => async (asked: Asked) => {
  requireKey(asked.request);
  refusePlainHttp(asked.request, asked.purchase.scope);
  await charge(context, asked, await readCard(asked.request, asked.response));
};

const payByPix = (context: Context) => async (asked: Asked) => {
  await readNothing(asked.request, asked.response);
  await charge(context, asked, { payment_method_type: 'pix' });
};

const fillIn = (context: Context) => async (asked: Asked) => {
  await identify(context, asked, await readBuyer(asked.request, asked.response));
};

/** The sandbox's buyer pays the QR code that the page shows (docs/product/sandbox.md#paying-a-qr-code). */
const simulate =
  ({ deps, runner }: Context) =>
  async (asked: Asked) => {
    const { request, response, purchase } = asked;
    await readNothing(request, response);
    const { intentId, qr, scope } = purchase;
    if (scope.liveMode || intentId === null || qr === null) {
      throw new BillingError('INVALID_STATE', { message: 'There is no QR code of the sandbox to pay' });
    }
    await runner(request, response, async (scope) => {
      await payPix(deps, scope, { intentId, scenario: 'paid' });
      return DONE;
    });
  };

const tellState =
  ({ source, deps }: Context): Handler =>
  async (request, response) => {
    const purchase = await findOf({ source }, request);
    if (isMissing(purchase)) return sendAnswer(response, { ...MISSED, status: MISSING_STATUS[purchase] });
    sendAnswer(response, { status: 200, problem: null, purchase: viewNow(deps, purchase) });
  };

/** 204 tells a browser that it need not come back: nothing more becomes of the purchase. */
const openStream =
  ({ source, streams }: Context): Handler =>
  async (request, response) => {
    const purchase = await findOf({ source }, request);
    if (isMissing(purchase)) return sendAnswer(response, { ...MISSED, status: MISSING_STATUS[purchase] });
    if (isFinal(purchase)) return void response.status(204).set('Cache-Control', 'no-store').end();
    if (request.method === 'HEAD') return void response.status(200).end();
    if (!streams.hasRoom(purchase.id)) return void response.status(503).set('Cache-Control', 'no-store').end();
    streams.begin(request, response, { purchase, link: request.params });
  };

/** Whatever goes wrong on the way to a page is told by a page. */
export const tellFaultsByPage =
  ({ deps, built, assets }: Pick<Context, 'deps' | 'built' | 'assets'>): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    if (response.writableEnded) return;
    if (response.headersSent) return next(error);
    const { status, problem } = refusedBy(deps, error, request);
    if (request.is('application/json')) return sendAnswer(response, { status, problem, purchase: null });
    sendPage(response, { status, page: built.renderer.renderMessage({ problem }, assets), style: null });
  };

/** The page of a kind of purchase, and what its script asks for, below one path. */
function routerOf(context: Context, { base, path }: { base: string; path: string }): express.Router {
  const router = express.Router({ strict: true, caseSensitive: true });
  const on = (method: 'get' | 'post', below: string, handle: Handler) =>
    router[method](path + below, (request: LinkRequest, response: Response) => {
      setRoute(request, { path: `${base}${path}${below}`, scope: method === 'get' ? 'read' : 'write' });
      // Whose purchase it is will be known when it is read.
      const [page = ''] = Object.values(request.params);
      return workFor({ page }, () => handle(request, response));
    });
  on('get', '', showPage(context));
  on('post', '', takeForm(context));
  on('get', '/state', tellState(context));
  on('get', '/events', openStream(context));
  on('post', '/pix', action(context, { limit: tries.pix, act: payByPix(context) }));
  on('post', '/buyer', action(context, { limit: tries.buyer, act: fillIn(context) }));
  on('post', '/card', action(context, { limit: tries.card, act: payByCard(context) }));
  on('post', '/simulation', action(context, { limit: tries.simulation, act: simulate(context) }));
  return router;
}

/** Mounts the pages that links lead to, of invoices, checkout sessions and subscriptions. They need no key: the link itself is the permission. */
export function mountPaymentPage(app: Express, deps: Deps, parts: PageParts): void {
  const { built, draining } = parts;
  const assets = assetsAt('../', built);
  const mount = (base: string, path: string, found: PurchaseSource): void => {
    const source = withMethods(deps, found);
    const streams = createStreams({ deps, source, view: (purchase) => viewNow(deps, purchase), draining });
    const context = { ...parts, deps, source, streams, assets };
    app.use(`${base}/${ASSETS}`, assetRouter(built));
    app.use(base, routerOf(context, { base, path }), tellFaultsByPage(context));
  };
  app.use(`/${LOGOS}`, logoRouter(deps));
  mount('/pay', '/:invoice/:signature', createInvoiceSource(deps));
  mount('/checkout', '/:session/:signature', createSessionSource(deps));
  mount('/subscription', '/:subscription/:signature', createSubscriptionSource(deps));
}
