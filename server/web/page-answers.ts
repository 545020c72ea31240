import type { ErrorRequestHandler, Request, Response } from 'express';
import type { BuyerValues } from '../../web/page/buyer-fields.ts';
import type { Assets, Message, PageAnswer, Problem, PurchaseView } from '../../web/page/page-data.ts';
import { readLook } from '../accounts/look.ts';
import type { RateLimiter } from '../admission/rate-limit.ts';
import type { Deps } from '../deps.ts';
import type { IdempotentRunner } from '../http/idempotency.ts';
import { realTimeMs } from '../kernel/time.ts';
import type { BuiltPages } from './built.ts';
import type { Streams } from './live.ts';
import { LOGOS } from './logos.ts';
import { pageStyle, viewLook } from './look.ts';
import { sendData, sendPage } from './page.ts';
import type { PageAdmission } from './page-admission.ts';
import { languageOf } from './page-language.ts';
import { refusedBy } from './page-requests.ts';
import { isMissing, type Missing, type Purchase, type PurchaseSource, viewPurchase } from './purchase.ts';
import { testCards } from './test-cards.ts';

/** What the pages need beside the dependencies of every use case. */
export interface PageParts {
  readonly built: BuiltPages;
  readonly runner: IdempotentRunner;
  readonly rateLimiter: RateLimiter;
  readonly pageAdmission: PageAdmission;
  /** Once aborted, no page is told anything more by a stream. */
  readonly draining: AbortSignal;
}

export interface Context extends PageParts {
  readonly deps: Deps;
  readonly source: PurchaseSource<Purchase>;
  readonly streams: Streams;
  /** Where the script and the style are, from a page of this kind. */
  readonly assets: Assets;
}

type Link = Record<string, string>;
export type LinkRequest = Request<Link>;
export type Handler = (request: LinkRequest, response: Response) => Promise<void>;

export const viewNow = ({ clock }: Pick<Deps, 'clock'>, purchase: Purchase): PurchaseView =>
  viewPurchase(purchase, { now: clock.now(purchase.scope), readAtMs: realTimeMs() });

/** Says by a page that there is nothing at a link. */
export function sendMessage(
  { built: { renderer }, assets }: Pick<Context, 'built' | 'assets'>,
  response: Response,
  { status, message }: { status: number; message: Message },
): void {
  response.req.refusedWith = 'RESOURCE_MISSING';
  const language = languageOf(response.req);
  sendPage(response, { status, page: renderer.renderMessage(message, { language, assets }), style: null });
}

const MISSING_STATUS: Readonly<Record<Missing, number>> = { not_found: 404, gone: 410 };

export const sendMissing = ({ built: { renderer }, assets }: Context, response: Response, missing: Missing): void =>
  sendPage(response, {
    status: MISSING_STATUS[missing],
    page: renderer.renderMessage(missing, { language: languageOf(response.req), assets }),
    style: null,
  });

export async function sendPurchase(
  { deps, built, assets }: Context,
  response: Response,
  { purchase, ...shown }: { purchase: Purchase; status: number; problem: Problem | null; typed: BuyerValues | null },
): Promise<void> {
  const { status, problem, typed } = shown;
  const look = await readLook(deps.pool, purchase.scope);
  const data = {
    language: languageOf(response.req),
    purchase: viewNow(deps, purchase),
    problem,
    typed,
    testCards: purchase.scope.liveMode ? [] : testCards,
    look: viewLook(look, { logos: `../../${LOGOS}` }),
  };
  const style = pageStyle(look);
  const { cardUrl } = purchase;
  sendPage(response, { status, page: built.renderer.renderPurchase(data, assets, style), style, cardUrl });
}

const MISSED = {
  problem: { code: 'RESOURCE_MISSING', declineReason: null, fields: [] },
  purchase: null,
} as const satisfies PageAnswer;

/** Answers the script of a page. */
export function sendAnswer(response: Response, { status, ...body }: PageAnswer & { status: number }): void {
  // An answer that took too long was given up on.
  if (!response.headersSent) sendData(response, { status, body });
}

export const sendMissed = (response: Response, missing: Missing): void =>
  sendAnswer(response, { ...MISSED, status: MISSING_STATUS[missing] });

/** What the link of a request leads to; the line of the request names its account. */
export async function findOf(
  { source, pageAdmission }: Pick<Context, 'source' | 'pageAdmission'>,
  request: LinkRequest,
): Promise<Purchase | Missing> {
  const found = await source.find(request.params);
  if (isMissing(found)) request.refusedWith = MISSED.problem.code;
  else pageAdmission.learn(request, found.id, found.scope);
  return found;
}

/** What only the script asks for, without a body that would tell. */
const OF_SCRIPT = /\/(?:state|events)$/;

/** Whatever goes wrong on the way to a page is told by a page, and to its script as the script expects it. */
export const tellFaultsByPage =
  ({ deps, built, assets }: Pick<Context, 'deps' | 'built' | 'assets'>): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    if (response.writableEnded) return;
    if (response.headersSent) return next(error);
    const { status, problem } = refusedBy(deps, error, request);
    const isOfScript = request.is('application/json') || OF_SCRIPT.test(request.path);
    if (isOfScript) sendAnswer(response, { status, problem, purchase: null });
    else
      sendPage(response, {
        status,
        page: built.renderer.renderMessage({ problem }, { language: languageOf(request), assets }),
        style: null,
      });
  };
