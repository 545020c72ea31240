import type { Response } from 'express';
import { isFinal, isPayable } from '../../web/page/page-data.ts';
import type { RateLimit } from '../admission/rate-limit.ts';
import { isOpened, makeFirstCode, wantsCode } from './first-code.ts';
import { SECRECY } from './page.ts';
import {
  type Context,
  findOf,
  type Handler,
  type LinkRequest,
  sendAnswer,
  sendMissed,
  sendMissing,
  sendPurchase,
  viewNow,
} from './page-answers.ts';
import { keepConsent } from './page-consent.ts';
import { localeQuery } from './page-language.ts';
import { tries } from './page-requests.ts';
import { isMissing, type Missing, type Purchase } from './purchase.ts';

type Show = (request: LinkRequest, response: Response, purchase: Purchase) => Promise<void> | void;

interface View {
  readonly limit: RateLimit;
  readonly show: Show;
  readonly miss: (response: Response, missing: Missing) => void;
}

/** Shows what a link leads to, within the limit of the account whose purchase it is. */
const viewBy =
  (context: Context, { limit, show, miss }: View): Handler =>
  async (request, response) => {
    const showFound = (found: Purchase | Missing) =>
      isMissing(found) ? miss(response, found) : show(request, response, found);
    const id = context.source.idOf(request.params);
    if (id === null) return showFound(await findOf(context, request));
    await context.pageAdmission.show(request, response, {
      id,
      limit,
      find: () => findOf(context, request),
      whose: (found) => (isMissing(found) ? null : found.scope),
      show: showFound,
    });
  };

/** Makes the code that a page shows at first, as its button would. */
export function showCode(context: Context, request: LinkRequest, purchase: Purchase): Promise<boolean> {
  const { source } = context;
  const scope = { ...purchase.scope, buyerAddress: request.ip };
  const make = () => source.pay(scope, purchase, { payment_method_type: 'pix' });
  return makeFirstCode(context, { purchase, make });
}

/** What opens a page may pay a code that stands: each who does is shown what they agree to, and the last of them pays. */
async function open(context: Context, request: LinkRequest, purchase: Purchase): Promise<boolean> {
  if (!isPayable(purchase)) return false;
  await keepConsent(context.deps, purchase.scope, { request, purchase });
  return wantsCode(purchase) && (await showCode(context, request, purchase));
}

const showPage =
  (context: Context): Show =>
  async (request, response, found) => {
    if (found.leadsTo !== null) return void response.set(SECRECY).redirect(303, found.leadsTo + localeQuery(request));
    const isMade = isOpened(request) && (await open(context, request, found));
    const now = isMade ? await findOf(context, request) : found;
    const purchase = isMissing(now) ? found : now;
    await sendPurchase(context, response, { purchase, status: 200, problem: null, typed: null });
  };

const showState =
  ({ deps }: Context): Show =>
  (_request, response, purchase) =>
    sendAnswer(response, { status: 200, problem: null, purchase: viewNow(deps, purchase) });

/** 204 tells a browser that it need not come back: nothing more becomes of the purchase. */
const openStream =
  ({ streams }: Context): Show =>
  (request, response, purchase) => {
    if (isFinal(purchase)) return void response.status(204).set('Cache-Control', 'no-store').end();
    if (request.method === 'HEAD') return void response.status(200).end();
    if (!streams.hasRoom(purchase)) return void response.status(503).set('Cache-Control', 'no-store').end();
    streams.begin(request, response, { purchase, link: request.params });
  };

/** What a buyer may look at below a link, by its path there. */
export function viewsOf(context: Context): Readonly<Record<'' | '/state' | '/events', Handler>> {
  const toScript = { limit: tries.state, miss: sendMissed };
  const missPage: View['miss'] = (response, missing) => sendMissing(context, response, missing);
  return {
    '': viewBy(context, { limit: tries.view, miss: missPage, show: showPage(context) }),
    '/state': viewBy(context, { ...toScript, show: showState(context) }),
    '/events': viewBy(context, { ...toScript, show: openStream(context) }),
  };
}
