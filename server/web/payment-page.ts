import express, { type Express, type Request, type Response } from 'express';
import type { CheckoutInput } from '../../contract/payment-methods.ts';
import type { BuyerValues } from '../../web/page/buyer-fields.ts';
import type { Problem } from '../../web/page/page-data.ts';
import type { RateLimit } from '../admission/rate-limit.ts';
import type { BuyerForm } from '../checkout/attach.ts';
import type { Deps } from '../deps.ts';
import { setRoute } from '../http/request.ts';
import { BillingError } from '../kernel/errors.ts';
import { payPix } from '../payments/pix/pay.ts';
import { decideAtBank } from '../subscriptions/mandates/at-bank.ts';
import { ASSETS, assetRouter, assetsAt } from './built.ts';
import { wantsCode } from './first-code.ts';
import { createInvoiceSource } from './invoice-purchase.ts';
import { createStreams, streamSemaphores } from './live.ts';
import { LOGOS, logoRouter } from './logos.ts';
import { withMethods } from './methods.ts';
import {
  type Context,
  findOf,
  type Handler,
  type LinkRequest,
  type PageParts,
  sendAnswer,
  sendMissed,
  sendMissing,
  sendPurchase,
  tellFaultsByPage,
  viewNow,
} from './page-answers.ts';
import { consentShown, keepConsent } from './page-consent.ts';
import { localeQuery } from './page-language.ts';
import {
  admit,
  admitCard,
  readBuyerForm,
  readCard,
  readCode,
  readForm,
  readNothing,
  refusedBy,
  refuseOtherSites,
  refuseOtherSitesForm,
  refusePlainHttp,
  requireIdempotencyKey,
  type SentForm,
  tries,
} from './page-requests.ts';
import { showCode, viewsOf } from './page-views.ts';
import { isMissing, type Purchase, type PurchaseSource } from './purchase.ts';
import { createSessionSource } from './session-purchase.ts';
import { createSubscriptionSource } from './subscription-purchase.ts';

type Asked = { readonly request: LinkRequest; readonly response: Response; readonly purchase: Purchase };

/** Whoever holds a link acts for what it leads to, in the account and mode of that. */
export function actFor(request: Request, { scope }: Pick<Purchase, 'scope'>): void {
  const { accountId, liveMode, account } = scope;
  request.identity = { keyId: 'link', accountId, liveMode, account, scope: 'full', limits: {} };
}

const DONE = { status: 200, body: null };

/** Pays in the scope of the purchase, as it stands then; under an Idempotency-Key once. */
async function charge(
  { deps, runner, source }: Context,
  { request, response, purchase }: Asked,
  checkout: CheckoutInput,
): Promise<void> {
  await runner(request, response, async (scope) => {
    await keepConsent(deps, scope, { request, purchase });
    await source.pay({ ...scope, buyerAddress: request.ip }, purchase, checkout);
    return DONE;
  });
}

async function identify(
  { deps, runner, source }: Context,
  { request, response, purchase }: Asked,
  buyer: BuyerForm,
): Promise<void> {
  await runner(request, response, async (scope) => {
    await source.fill(scope, { id: purchase.id, buyer, consent: await consentShown(deps, request, purchase) });
    return DONE;
  });
}

async function redeem(
  { runner, source }: Context,
  { request, response, purchase }: Asked,
  text: string,
): Promise<void> {
  await runner(request, response, async (scope) => {
    if (source.redeem === undefined)
      throw new BillingError('INVALID_STATE', { message: `${purchase.id} takes no promotion code` });
    await source.redeem(scope, { id: purchase.id, text });
    return DONE;
  });
}

const limitOf = (form: SentForm | null): RateLimit => {
  if (form === null) return tries.pix;
  return form.code === null ? tries.buyer : tries.code;
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
      typed = form === null || form.code !== null ? null : form.typed;
      await admit(rateLimiter, response, { id: purchase.id, limit: limitOf(form) });
      actFor(request, purchase);
      const asked = { request, response, purchase };
      if (form === null) await charge(context, asked, { payment_method_type: 'pix' });
      else if (form.code === null) await identify(context, asked, form.buyer());
      else await redeem(context, asked, form.code);
    } catch (error) {
      const { status, problem } = refusedBy(deps, error, request);
      // The refusal may have changed the state, as by a payment that was found.
      const now = await findOf(context, request);
      return sendPurchase(context, response, { purchase: isMissing(now) ? purchase : now, status, problem, typed });
    }
    // Relative, so that it holds behind a proxy that serves us under a path of its own.
    const again = `./${request.path.split('/').at(-1)}${localeQuery(request)}`;
    response.set('Cache-Control', 'no-store').redirect(303, again);
  };

/** What the script of a page asks for; whatever comes of it, the answer has the purchase as it stands then. */
const action =
  (context: Context, { limit, act }: { limit: RateLimit; act: (asked: Asked) => Promise<void> }): Handler =>
  async (request, response) => {
    const { deps, rateLimiter } = context;
    const purchase = await findOf(context, request);
    if (isMissing(purchase)) return sendMissed(response, purchase);
    let refused: { status: number; problem: Problem | null } = { status: 200, problem: null };
    try {
      refuseOtherSites(request, deps.settings.publicUrl);
      await admit(rateLimiter, response, { id: purchase.id, limit });
      actFor(request, purchase);
      await act({ request, response, purchase });
    } catch (error) {
      refused = refusedBy(deps, error, request);
    }
    const now = await findOf(context, request);
    sendAnswer(response, { ...refused, purchase: isMissing(now) ? null : viewNow(deps, now) });
  };

const payByCard = (context: Context) => async (asked: Asked) => {
  requireIdempotencyKey(asked.request);
  const { request, response, purchase } = asked;
  refusePlainHttp(request, purchase.scope);
  const card = await readCard(request, response, purchase.buyerCpf);
  const { rateLimiter: limiter, deps } = context;
  await admitCard({ limiter, cardTesting: deps.cardTesting }, { request, response, scope: purchase.scope });
  await charge(context, asked, card);
};

const payByPix = (context: Context) => async (asked: Asked) => {
  await readNothing(asked.request, asked.response);
  await charge(context, asked, { payment_method_type: 'pix' });
};

const payByMandate = (context: Context) => async (asked: Asked) => {
  await readNothing(asked.request, asked.response);
  await charge(context, asked, { payment_method_type: 'pix_automatico' });
};

/** Who pays is known now: the code stands in the answer, where the page would ask for it first thing. */
const fillIn = (context: Context) => async (asked: Asked) => {
  await identify(context, asked, await readBuyerForm(asked.request, asked.response));
  const now = await findOf(context, asked.request);
  if (!isMissing(now) && wantsCode(now)) await showCode(context, asked.request, now);
};

const takeCode = (context: Context) => async (asked: Asked) => {
  await redeem(context, asked, await readCode(asked.request, asked.response));
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

/** The sandbox's buyer authorises the mandate that the page shows, and pays what its QR code charges. */
const simulateMandate =
  ({ deps, runner }: Context) =>
  async ({ request, response, purchase: { mandate, scope } }: Asked) => {
    await readNothing(request, response);
    const id = mandate?.id ?? null;
    if (scope.liveMode || id === null)
      throw new BillingError('INVALID_STATE', { message: 'There is no mandate of the sandbox to authorise' });
    await runner(request, response, async (scope) => {
      await decideAtBank(deps, scope, { id, decision: 'approve' });
      return DONE;
    });
  };

/** The page of a kind of purchase, and what its script asks for, below one path. */
function routerOf(context: Context, { base, path }: { base: string; path: string }): express.Router {
  const router = express.Router({ strict: true, caseSensitive: true });
  const { source, pageAdmission } = context;
  const on = (method: 'get' | 'post', below: string, handle: Handler) =>
    router[method](path + below, (request: LinkRequest, response: Response) => {
      setRoute(request, { path: `${base}${path}${below}`, scope: method === 'get' ? 'read' : 'write' });
      return pageAdmission.follow(request, source.idOf(request.params), () => handle(request, response));
    });
  for (const [below, show] of Object.entries(viewsOf(context))) on('get', below, show);
  on('post', '', takeForm(context));
  on('post', '/pix', action(context, { limit: tries.pix, act: payByPix(context) }));
  on('post', '/mandate', action(context, { limit: tries.pix, act: payByMandate(context) }));
  on('post', '/buyer', action(context, { limit: tries.buyer, act: fillIn(context) }));
  on('post', '/code', action(context, { limit: tries.code, act: takeCode(context) }));
  on('post', '/card', action(context, { limit: tries.card, act: payByCard(context) }));
  on('post', '/simulation', action(context, { limit: tries.simulation, act: simulate(context) }));
  on('post', '/mandate/simulation', action(context, { limit: tries.simulation, act: simulateMandate(context) }));
  return router;
}

/** Mounts the pages that links lead to, of invoices, checkout sessions and subscriptions. They need no key: the link itself is the permission. */
export function mountPaymentPage(app: Express, deps: Deps, parts: PageParts): void {
  const { built, draining } = parts;
  const assets = assetsAt('../', built);
  const semaphores = streamSemaphores();
  const mount = (base: string, path: string, found: PurchaseSource): void => {
    const source = withMethods(deps, found);
    const view = (purchase: Purchase) => viewNow(deps, purchase);
    const streams = createStreams({ deps, source, view, draining, semaphores });
    const context = { ...parts, deps, source, streams, assets };
    app.use(`${base}/${ASSETS}`, assetRouter(built));
    app.use(base, routerOf(context, { base, path }), tellFaultsByPage(context));
  };
  app.use(`/${LOGOS}`, logoRouter(deps));
  mount('/pay', '/:invoice/:signature', createInvoiceSource(deps));
  mount('/checkout', '/:session/:signature', createSessionSource(deps));
  mount('/subscription', '/:subscription/:signature', createSubscriptionSource(deps));
}
