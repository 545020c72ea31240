import express, { type Express, type Request, type Response } from 'express';
import { type PortalNotice, type PortalPage, portalNotices } from '../../../web/page/portal-data.ts';
import { readLook } from '../../accounts/look.ts';
import type { RateLimiter } from '../../admission/rate-limit.ts';
import type { Deps } from '../../deps.ts';
import { countedAddress } from '../../http/address.ts';
import type { IdempotentRunner } from '../../http/idempotency.ts';
import { setRoute } from '../../http/request.ts';
import { modeNotServed } from '../../kernel/mode.ts';
import { oneLine } from '../../kernel/text.ts';
import {
  cancelByBuyer,
  changeByBuyer,
  endMandateByBuyer,
  type Of,
  pauseByBuyer,
  preferCardByBuyer,
  previewByBuyer,
  removeCardByBuyer,
  resumeByBuyer,
  uncancelByBuyer,
} from '../../portal/acts.ts';
import { findVisitor, modeOfSecret, type PortalVisitor, secretKey } from '../../portal/links.ts';
import { paidBills, portalOverview } from '../../portal/overview.ts';
import type { Scope } from '../../unit-of-work/tx.ts';
import { ASSETS, assetRouter, assetsAt, type BuiltPages } from '../built.ts';
import { LOGOS } from '../logos.ts';
import { pageStyle, viewLook } from '../look.ts';
import { SECRECY, sendPage } from '../page.ts';
import type { PageAdmission } from '../page-admission.ts';
import { tellFaultsByPage } from '../page-answers.ts';
import { keptLocale, languageOf, localeQuery } from '../page-language.ts';
import {
  admit,
  PageRefusal,
  readFields,
  refusedBy,
  refuseOtherSitesForm,
  refuseSpent,
  tries,
} from '../page-requests.ts';
import { actFor } from '../payment-page.ts';
import { mountPortalAsk } from './ask.ts';
import { homeOf, type PortalRequest, upFrom } from './place.ts';
import { viewOverview, viewPaid, viewPortalChange } from './view.ts';

interface Parts {
  readonly built: BuiltPages;
  readonly pageAdmission: PageAdmission;
  readonly rateLimiter: RateLimiter;
  /** Does what buyers ask for within the limits of their account. */
  readonly runner: IdempotentRunner;
}

interface Context extends Parts {
  readonly deps: Deps;
}

/** What is asked for at a link, and by whom. */
interface Asked {
  readonly request: PortalRequest;
  readonly response: Response;
  readonly visitor: PortalVisitor;
}

const BASE = '/portal';

/** The page of a link that opens nothing, or not any more, leads to how another is asked for. */
function sendEnded({ built }: Context, request: Request, response: Response): void {
  request.refusedWith = 'RESOURCE_MISSING';
  const up = upFrom(request);
  const page = built.renderer.renderAsk('ended', {
    action: `${up}../portal${localeQuery(request)}`,
    language: languageOf(request),
    assets: assetsAt(up, built),
  });
  sendPage(response, { status: 404, page, style: null });
}

type Shown = Pick<PortalPage, 'content'> &
  Pick<PortalPage['frame'], 'notice' | 'problem'> & { readonly status: number };

async function sendPortal(
  { deps, built }: Context,
  { request, response, visitor: { scope, returnUrl } }: Asked,
  { status, content, notice, problem }: Shown,
): Promise<void> {
  const look = await readLook(deps.pool, scope);
  const up = upFrom(request);
  const frame = {
    merchant: oneLine(scope.account.name),
    isSandbox: !scope.liveMode,
    look: viewLook(look, { logos: `${up}../${LOGOS}` }),
    home: homeOf(request),
    back: returnUrl,
    notice,
    problem,
  };
  const style = pageStyle(look);
  const page = built.renderer.renderPortal(
    { frame, content },
    { language: languageOf(request), query: localeQuery(request), assets: assetsAt(up, built), accent: style },
  );
  sendPage(response, { status, page, style });
}

async function overviewNow({ deps }: Context, { request, visitor: { scope, customerId } }: Asked) {
  const overview = await portalOverview(deps, scope, customerId);
  const place = { home: homeOf(request), now: deps.clock.now(scope), language: languageOf(request) };
  return { kind: 'overview', overview: viewOverview(overview, place) } as const;
}

const noticeIn = ({ query }: Request): PortalNotice | null =>
  portalNotices.find((notice) => notice === query.done) ?? null;

type Show = (context: Context, asked: Asked) => Promise<void>;

const showOverview: Show = async (context, asked) =>
  sendPortal(context, asked, {
    status: 200,
    content: await overviewNow(context, asked),
    notice: noticeIn(asked.request),
    problem: null,
  });

/** What is wrong is told above the customer's page as it stands then. */
async function showRefused(context: Context, asked: Asked, error: unknown): Promise<void> {
  const { status, problem } = refusedBy(context.deps, error, asked.request);
  await sendPortal(context, asked, { status, content: await overviewNow(context, asked), notice: null, problem });
}

const INVOICE_ID = /^in_[0-9a-z]{26}$/;

const showPaid: Show = async (context, asked) => {
  const { request, visitor } = asked;
  const { after } = request.query;
  const known = typeof after === 'string' && INVOICE_ID.test(after) ? after : null;
  try {
    const { data, has_more: hasMore } = await paidBills(context.deps, visitor.scope, {
      customerId: visitor.customerId,
      after: known,
    });
    const content = {
      kind: 'paid',
      paid: data.flatMap(viewPaid({ home: homeOf(request), language: languageOf(request) })),
      after: hasMore ? (data.at(-1)?.id ?? null) : null,
    } as const;
    await sendPortal(context, asked, { status: 200, content, notice: null, problem: null });
  } catch (error) {
    await showRefused(context, asked, error);
  }
};

const showChange: Show = async (context, asked) => {
  const { request, visitor } = asked;
  const { customerId, scope } = visitor;
  const { id, price: priceId } = request.params;
  try {
    const change = viewPortalChange(
      await previewByBuyer(context.deps, scope, { customerId, id, priceId }),
      languageOf(request),
    );
    await sendPortal(context, asked, { status: 200, content: { kind: 'change', change }, notice: null, problem: null });
  } catch (error) {
    await showRefused(context, asked, error);
  }
};

type Do = (
  deps: Deps,
  scope: Scope,
  of: Of & { fields: Readonly<Record<string, unknown>>; priceId: string },
) => Promise<void>;

const CENTS = /^-?\d{1,12}$/;

const change: Do = (deps, scope, { fields: { expected_total: expected }, ...of }) => {
  if (typeof expected !== 'string' || !CENTS.test(expected))
    throw new PageRefusal(400, { code: 'PARAMETER_INVALID', fields: ['expected_total'] });
  return changeByBuyer(deps, scope, { ...of, expectedTotal: Number(expected) });
};

/** What a buyer does, by its path below the page. */
const acts: Readonly<Record<string, { readonly act: Do; readonly done: PortalNotice }>> = {
  '/subscriptions/:id/cancel': { act: cancelByBuyer, done: 'cancel' },
  '/subscriptions/:id/uncancel': { act: uncancelByBuyer, done: 'uncancel' },
  '/subscriptions/:id/pause': { act: pauseByBuyer, done: 'pause' },
  '/subscriptions/:id/resume': { act: resumeByBuyer, done: 'resume' },
  '/subscriptions/:id/prices/:price': { act: change, done: 'change' },
  '/cards/:id/default': { act: preferCardByBuyer, done: 'card_preferred' },
  '/cards/:id/remove': { act: removeCardByBuyer, done: 'card_removed' },
  '/mandates/:id/end': { act: endMandateByBuyer, done: 'mandate_ended' },
};

const DONE = { status: 200, body: null };

/** Does what a form asks for, as its account allows; the page behind the redirect says what was done. */
const takeForm =
  ({ act, done }: { act: Do; done: PortalNotice }): Show =>
  async (context, asked) => {
    const { deps, rateLimiter, runner } = context;
    const { request, response, visitor } = asked;
    try {
      refuseOtherSitesForm(request, deps.settings.publicUrl);
      await admit(rateLimiter, response, { id: visitor.customerId, limit: tries.portalAct });
      const fields = await readFields(request, response);
      const { id, price: priceId = '' } = request.params;
      actFor(request, visitor);
      await runner(request, response, async (scope) => {
        await act(
          deps,
          { ...scope, buyerAddress: request.ip },
          { customerId: visitor.customerId, id, priceId, fields },
        );
        return DONE;
      });
    } catch (error) {
      return showRefused(context, asked, error);
    }
    response.set(SECRECY).redirect(303, homeOf(request) + keptLocale(request, `?done=${done}`));
  };

/** The visitor by the secret of a request; whoever guesses is slowed down before anything is looked up. */
async function findHere({ deps, rateLimiter }: Context, request: PortalRequest, response: Response) {
  const mode = modeOfSecret(request.params.secret);
  const guesser = { id: countedAddress(request.ip), limit: tries.portalMiss };
  refuseSpent(rateLimiter, response, guesser);
  const visitor = mode === null ? null : await findVisitor(deps, { secret: request.params.secret, mode });
  if (visitor === null) await admit(rateLimiter, response, guesser);
  return visitor;
}

type Handler = (request: PortalRequest, response: Response) => Promise<void>;

/** What the requests of a secret are counted under; 421 where its mode is another process's. */
function keyOf({ deps: { secretBox, settings } }: Context, { params: { secret } }: PortalRequest): string {
  const mode = modeOfSecret(secret);
  if (mode !== null && !settings.modes.includes(mode)) throw modeNotServed(settings.modes);
  return secretKey(secretBox, secret);
}

async function findLearnt(context: Context, request: PortalRequest, response: Response): Promise<PortalVisitor | null> {
  const visitor = await findHere(context, request, response);
  if (visitor !== null) context.pageAdmission.learn(request, keyOf(context, request), visitor.scope);
  return visitor;
}

const go = (
  context: Context,
  { visitor, ...rest }: Omit<Asked, 'visitor'> & { visitor: PortalVisitor | null },
  to: Show,
) => (visitor === null ? sendEnded(context, rest.request, rest.response) : to(context, { ...rest, visitor }));

/** Shows within the limit of the account. */
const viewBy =
  (context: Context, show: Show): Handler =>
  (request, response) => {
    const id = keyOf(context, request);
    return context.pageAdmission.follow(request, id, () =>
      context.pageAdmission.show(request, response, {
        id,
        limit: tries.portal,
        find: () => findLearnt(context, request, response),
        whose: (visitor) => visitor?.scope ?? null,
        show: (visitor) => go(context, { request, response, visitor }, show),
      }),
    );
  };

/** Acts by the runner, which takes a place of the account by itself. */
const actBy =
  (context: Context, act: Show): Handler =>
  (request, response) =>
    context.pageAdmission.follow(request, keyOf(context, request), async () =>
      go(context, { request, response, visitor: await findLearnt(context, request, response) }, act),
    );

/** Mounts the page on which a buyer sees and changes what an account has of them (docs/product/portal.md). */
export function mountPortal(app: Express, deps: Deps, parts: Parts): void {
  const context = { ...parts, deps };
  const router = express.Router({ strict: true, caseSensitive: true });
  const on = (method: 'get' | 'post', below: string, handle: Handler) =>
    router[method](`/:secret${below}`, (request: PortalRequest, response: Response) => {
      setRoute(request, { path: `${BASE}/:secret${below}`, scope: method === 'get' ? 'read' : 'write' });
      return handle(request, response);
    });
  on('get', '', viewBy(context, showOverview));
  on('get', '/bills', viewBy(context, showPaid));
  on('get', '/subscriptions/:id/prices/:price', viewBy(context, showChange));
  for (const [below, act] of Object.entries(acts)) on('post', below, actBy(context, takeForm(act)));
  mountPortalAsk(app, deps, parts);
  app.use(`${BASE}/${ASSETS}`, assetRouter(parts.built));
  app.use(BASE, router, (error: unknown, request: Request, response: Response, next: (error?: unknown) => void) =>
    tellFaultsByPage({ ...context, assets: assetsAt(upFrom(request), parts.built) })(error, request, response, next),
  );
}
