import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';
import type { CheckoutInput } from '../../contract/payment-methods.ts';
import { readLook } from '../accounts/look.ts';
import type { Limit, RateLimiter } from '../accounts/rate-limit.ts';
import type { Deps } from '../deps.ts';
import type { IdempotentRunner } from '../http/idempotency.ts';
import { setRoute } from '../http/request.ts';
import { BillingError } from '../kernel/errors.ts';
import { realTimeMs } from '../kernel/time.ts';
import { checkoutInvoice } from '../payments/checkout.ts';
import { payPix } from '../payments/pix/pay.ts';
import { ASSETS, assetRouter, type BuiltPages } from './built.ts';
import { type Assets, isFinal, type PageAnswer, type Problem, type PurchaseView } from './checkout/page-data.ts';
import { createInvoiceSource } from './invoice-purchase.ts';
import { createStreams, type Streams } from './live.ts';
import { LOGOS, logoRouter } from './logos.ts';
import { accentStyle, viewLook } from './look.ts';
import { sendData, sendPage } from './page.ts';
import {
  admit,
  readBuyer,
  readCard,
  readNothing,
  refusedBy,
  refuseOtherSites,
  refuseOtherSitesForm,
  requireKey,
  tries,
} from './page-requests.ts';
import { type Purchase, type PurchaseSource, viewPurchase } from './purchase.ts';
import { createSessionSource } from './session-purchase.ts';
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
  readonly source: PurchaseSource;
  readonly streams: Streams;
  /** Where the script and the style are, from a page of this kind. */
  readonly assets: Assets;
}

type Link = Record<string, string>;
type LinkRequest = Request<Link>;
type Handler = (request: LinkRequest, response: Response) => Promise<void>;

const viewNow = ({ clock }: Pick<Deps, 'clock'>, purchase: Purchase): PurchaseView =>
  viewPurchase(purchase, { now: clock.now(purchase.scope), readAtMs: realTimeMs() });

const sendNotFound = ({ built: { renderer }, assets }: Context, response: Response): void =>
  sendPage(response, { status: 404, page: renderer.renderMessage('not_found', assets), style: null });

async function sendPurchase(
  { deps, built, assets }: Context,
  response: Response,
  { purchase, status, problem }: { purchase: Purchase; status: number; problem: Problem | null },
): Promise<void> {
  const look = await readLook(deps.pool, purchase.scope.accountId);
  const data = {
    purchase: viewNow(deps, purchase),
    problem,
    testCards: purchase.scope.liveMode ? [] : testCards,
    look: viewLook(look, { logos: `../../${LOGOS}` }),
  };
  const style = look.color === null ? null : accentStyle(look.color);
  sendPage(response, { status, page: built.renderer.renderPurchase(data, assets, style), style });
}

/** Whoever holds a link acts for its purchase, in the account and mode of that. */
function actFor(request: Request, { scope }: Purchase): void {
  const { accountId, liveMode, account } = scope;
  request.identity = { keyId: 'link', accountId, liveMode, account, scope: 'full', limits: {} };
}

const DONE = { status: 200, body: null };

/** Charges in the scope of the purchase, as it stands then; under an Idempotency-Key once. */
async function charge(
  { runner, deps }: Context,
  { request, response, purchase }: { request: Request; response: Response; purchase: Purchase },
  checkout: CheckoutInput,
): Promise<void> {
  await runner(request, response, async (scope) => {
    const { id, invoiceId } = purchase;
    if (invoiceId === null) throw new BillingError('INVALID_STATE', { message: `${id} has no buyer yet` });
    await checkoutInvoice(deps, scope, { invoiceId, checkout });
    return DONE;
  });
}

const showPage =
  (context: Context): Handler =>
  async (request, response) => {
    const purchase = await context.source.find(request.params);
    if (purchase === null) return sendNotFound(context, response);
    await sendPurchase(context, response, { purchase, status: 200, problem: null });
  };

/** The button of a page without a script: makes the QR code, or finds the one that stands; the page behind the redirect shows it. */
const makeQrByForm =
  (context: Context): Handler =>
  async (request, response) => {
    const { source, deps, rateLimiter } = context;
    const purchase = await source.find(request.params);
    if (purchase === null) return sendNotFound(context, response);
    try {
      refuseOtherSitesForm(request);
      await admit(rateLimiter, response, { id: purchase.id, limit: tries.pix });
      actFor(request, purchase);
      await charge(context, { request, response, purchase }, { payment_method_type: 'pix' });
    } catch (error) {
      const { status, problem } = refusedBy(deps, error, request);
      // The refusal may have come with news, such as a payment that was found.
      const standing = (await source.find(request.params)) ?? purchase;
      return sendPurchase(context, response, { purchase: standing, status, problem });
    }
    // Relative, so that it holds behind a proxy that serves us under a path of its own.
    response.set('Cache-Control', 'no-store').redirect(303, `./${request.path.split('/').at(-1)}`);
  };

type Asked = { request: LinkRequest; response: Response; purchase: Purchase };

/** What the script of a page asks for; whatever comes of it, the answer has the purchase as it stands then. */
const action =
  (context: Context, { limit, act }: { limit: Limit; act: (asked: Asked) => Promise<void> }): Handler =>
  async (request, response) => {
    const { source, deps, rateLimiter } = context;
    const purchase = await source.find(request.params);
    if (purchase === null) return sendAnswer(response, { ...NOT_FOUND, purchase: null });
    let refused: { status: number; problem: Problem | null } = { status: 200, problem: null };
    try {
      refuseOtherSites(request, deps.settings.publicUrl);
      await admit(rateLimiter, response, { id: purchase.id, limit });
      actFor(request, purchase);
      await act({ request, response, purchase });
    } catch (error) {
      refused = refusedBy(deps, error, request);
    }
    const standing = await source.find(request.params);
    sendAnswer(response, { ...refused, purchase: standing === null ? null : viewNow(deps, standing) });
  };

const MISSING: Problem = { code: 'RESOURCE_MISSING', declineReason: null, fields: [] };
const NOT_FOUND = { status: 404, problem: MISSING };

function sendAnswer(response: Response, { status, ...body }: PageAnswer & { status: number }): void {
  // An answer that took too long was given up on.
  if (!response.headersSent) sendData(response, { status, body });
}

const payByCard = (context: Context) => async (asked: Asked) => {
  requireKey(asked.request);
  await charge(context, asked, await readCard(asked.request, asked.response));
};

const payByPix = (context: Context) => async (asked: Asked) => {
  await readNothing(asked.request, asked.response);
  await charge(context, asked, { payment_method_type: 'pix' });
};

const fillIn =
  ({ source, runner }: Context) =>
  async ({ request, response, purchase }: Asked) => {
    const buyer = await readBuyer(request, response);
    await runner(request, response, async (scope) => {
      await source.fill(scope, { id: purchase.id, buyer });
      return DONE;
    });
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
    const purchase = await source.find(request.params);
    if (purchase === null) return sendAnswer(response, { ...NOT_FOUND, purchase: null });
    sendAnswer(response, { status: 200, problem: null, purchase: viewNow(deps, purchase) });
  };

/** 204 tells a browser that it need not come back: nothing more becomes of the purchase. */
const openStream =
  ({ source, streams }: Context): Handler =>
  async (request, response) => {
    const purchase = await source.find(request.params);
    if (purchase === null) return sendAnswer(response, { ...NOT_FOUND, purchase: null });
    if (isFinal(purchase)) return void response.status(204).set('Cache-Control', 'no-store').end();
    if (request.method === 'HEAD') return void response.status(200).end();
    if (!streams.hasRoom(purchase.id)) return void response.status(503).set('Cache-Control', 'no-store').end();
    streams.begin(request, response, { purchase, link: request.params });
  };

/** Whatever goes wrong on the way to a page is told by a page. */
const handlePageErrors =
  ({ deps, built, assets }: Context): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    if (response.writableEnded) return;
    if (response.headersSent) return next(error);
    const { status, problem } = refusedBy(deps, error, request);
    if (request.is('application/json')) return sendAnswer(response, { status, problem, purchase: null });
    sendPage(response, { status, page: built.renderer.renderMessage({ problem }, assets), style: null });
  };

/** The page of a kind of purchase, and what its script asks for, below one path. */
function routerOf(context: Context, { base, path }: { base: string; path: string }): express.Router {
  const router = express.Router({ strict: true });
  const on = (method: 'get' | 'post', below: string, handle: Handler) =>
    router[method](path + below, (request: LinkRequest, response: Response) => {
      setRoute(request, { path: `${base}${path}${below}`, scope: method === 'get' ? 'read' : 'write' });
      return handle(request, response);
    });
  on('get', '', showPage(context));
  on('post', '', makeQrByForm(context));
  on('get', '/state', tellState(context));
  on('get', '/events', openStream(context));
  on('post', '/pix', action(context, { limit: tries.pix, act: payByPix(context) }));
  on('post', '/buyer', action(context, { limit: tries.buyer, act: fillIn(context) }));
  on('post', '/card', action(context, { limit: tries.card, act: payByCard(context) }));
  on('post', '/simulation', action(context, { limit: tries.simulation, act: simulate(context) }));
  return router;
}

/** Mounts the pages that links lead to, of invoices and of checkout sessions. They need no key: the link itself is the permission. */
export function mountPaymentPage(app: Express, deps: Deps, parts: PageParts): void {
  const { built, draining } = parts;
  const { script, style } = built.assets;
  const assets = { script: `../${ASSETS}/${script}`, style: `../${ASSETS}/${style}` };
  const mount = (base: string, path: string, source: PurchaseSource): void => {
    const streams = createStreams({ deps, source, view: (purchase) => viewNow(deps, purchase), draining });
    const context = { ...parts, deps, source, streams, assets };
    app.use(`${base}/${ASSETS}`, assetRouter(built));
    app.use(base, routerOf(context, { base, path }), handlePageErrors(context));
  };
  app.use(`/${LOGOS}`, logoRouter(deps));
  mount('/pay', '/:invoice/:signature', createInvoiceSource(deps));
  mount('/checkout', '/:session/:signature', createSessionSource(deps));
}
