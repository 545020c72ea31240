import express, { type Express, type Request, type Response } from 'express';
import type { Assets, OfferView } from '../../web/page/page-data.ts';
import type { RateLimiter } from '../admission/rate-limit.ts';
import type { OpenedSession } from '../checkout/open.ts';
import { SESSION_SECONDS } from '../checkout/rules.ts';
import type { Deps } from '../deps.ts';
import { countedAddress } from '../http/address.ts';
import { setRoute } from '../http/request.ts';
import { ASSETS, assetRouter, assetsAt, type BuiltPages } from './built.ts';
import { isOpened } from './first-code.ts';
import { LOGOS } from './logos.ts';
import { pageStyle } from './look.ts';
import { linkOffers, type Offer, type OfferSource, priceOffers, viewOffer } from './offers.ts';
import { SECRECY, sendPage } from './page.ts';
import type { PageAdmission } from './page-admission.ts';
import { sendMessage, tellFaultsByPage } from './page-answers.ts';
import { languageOf, localeQuery } from './page-language.ts';
import { admit, idOfLink, refuseOtherSitesForm, tries } from './page-requests.ts';
import { fromOtherPage } from './purchase.ts';

interface Parts {
  readonly built: BuiltPages;
  readonly pageAdmission: PageAdmission;
  readonly rateLimiter: RateLimiter;
}

interface Context extends Parts {
  readonly deps: Deps;
  readonly assets: Assets;
  readonly source: OfferSource;
}

type SaleLink = { id: string; signature: string };
type SaleRequest = Request<SaleLink>;

const PATH = '/:id/:signature';

const STATUS: Readonly<Record<OfferView['state'], number>> = { selling: 200, on_hold: 200, held: 429, over: 410 };

const idOf = ({ deps, source }: Context, { id, signature }: SaleLink): string | null =>
  idOfLink(deps, source.page, { id, signature });

const sendNotFound = (context: Context, response: Response): void =>
  sendMessage(context, response, { status: 404, message: 'not_found' });

async function sendOffer(
  { deps, built, assets }: Context,
  response: Response,
  { offer, state }: { offer: Offer; state: OfferView['state'] },
): Promise<void> {
  const view = await viewOffer(deps, offer, { state, logos: `../../${LOGOS}` });
  const style = pageStyle(offer.look);
  const page = built.renderer.renderOffer(view, { language: languageOf(response.req), assets, accent: style });
  sendPage(response, { status: STATUS[state], page, style });
}

/** Which session a browser opened by a link; without a path of its own the cookie is sent to that link alone. */
const COOKIE = 'compra';
const COOKIE_FORM = /^(cs_[0-9a-z]{26})\.([\w-]{1,100})$/;

function remember({ settings: { publicUrl } }: Deps, response: Response, value: string): void {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  response.append('Set-Cookie', `${COOKIE}=${value}; Max-Age=${SESSION_SECONDS}; HttpOnly; SameSite=Lax${secure}`);
}

/** The open session of this link that the browser opened before; a name without its signature is nobody's. */
async function remembered({ deps, source }: Context, request: Request, id: string): Promise<OpenedSession | null> {
  const sent = (request.get('cookie') ?? '').split(';').map((part) => part.trim());
  for (const part of sent.filter((one) => one.startsWith(`${COOKIE}=`))) {
    const [, session = '', signature = ''] = COOKIE_FORM.exec(part.slice(COOKIE.length + 1)) ?? [];
    const mode = deps.links.modeOf('session', { id: session, signature });
    if (mode !== null && (await source.isOf(deps, { id, session }))) return { id: session, liveMode: mode === 'live' };
  }
  return null;
}

/** From here on the address of the session is the buyer's: a reload, and the way back, lead to it. */
function leadTo({ deps }: Context, response: Response, session: OpenedSession): void {
  const address = deps.links.checkout(session);
  remember(deps, response, `${session.id}.${address.split('/').at(-1)}`);
  response.set(SECRECY).redirect(303, fromOtherPage(address) + localeQuery(response.req));
}

/** Opens a session for whoever asks, unless there is none to be had; the page says why. */
async function openSession(
  context: Context,
  { request, response, offer }: { request: SaleRequest; response: Response; offer: Offer },
): Promise<void> {
  const { deps, source, rateLimiter } = context;
  const { id, scope } = offer;
  const address = countedAddress(request.ip);
  await admit(rateLimiter, response, { id: `${id}:${address}`, limit: tries.saleOpened });
  const opened = await source.open(deps, scope, { id, address });
  if (typeof opened !== 'string') return leadTo(context, response, opened);
  if (opened === 'held_by_address') return sendOffer(context, response, { offer, state: 'held' });
  const now = await source.find(deps, id);
  if (now === null) return sendNotFound(context, response);
  await sendOffer(context, response, { offer: now, state: now.state });
}

async function showOffer(context: Context, { request, response }: Asked, offer: Offer): Promise<void> {
  const { id, state } = offer;
  const before = request.method === 'HEAD' ? null : await remembered(context, request, id);
  if (before !== null) return leadTo(context, response, before);
  if (state !== 'selling' || !isOpened(request)) return sendOffer(context, response, { offer, state });
  await openSession(context, { request, response, offer });
}

/** The button was pressed. */
async function takeOffer(context: Context, { request, response }: Asked, offer: Offer): Promise<void> {
  refuseOtherSitesForm(request, context.deps.settings.publicUrl);
  const { id, state } = offer;
  const before = await remembered(context, request, id);
  if (before !== null) return leadTo(context, response, before);
  if (state !== 'selling') return sendOffer(context, response, { offer, state });
  await openSession(context, { request, response, offer });
}

interface Asked {
  readonly request: SaleRequest;
  readonly response: Response;
}

type Act = (context: Context, asked: Asked, offer: Offer) => Promise<void>;

/** Within the limits of the account whose link it is. */
async function handle(context: Context, { request, response }: Asked, act: Act): Promise<void> {
  const { deps, source, pageAdmission } = context;
  const id = idOf(context, request.params);
  if (id === null) return sendNotFound(context, response);
  await pageAdmission.show(request, response, {
    id,
    limit: tries.sale,
    find: async () => {
      const offer = await source.find(deps, id);
      if (offer !== null) pageAdmission.learn(request, id, offer.scope);
      return offer;
    },
    whose: (offer) => offer?.scope ?? null,
    show: (offer) => (offer === null ? sendNotFound(context, response) : act(context, { request, response }, offer)),
  });
}

/** Mounts the pages of payment links and of prices, which sell to whoever opens them. */
export function mountSalePages(app: Express, deps: Deps, parts: Parts): void {
  const mount = (base: string, source: OfferSource): void => {
    const context = { ...parts, deps, source, assets: assetsAt('../', parts.built) };
    const router = express.Router({ strict: true, caseSensitive: true });
    const on = (method: 'get' | 'post', act: Act) =>
      router[method](PATH, (request: SaleRequest, response: Response) => {
        setRoute(request, { path: `${base}${PATH}`, scope: 'write' });
        const work = () => handle(context, { request, response }, act);
        return context.pageAdmission.follow(request, idOf(context, request.params), work);
      });
    on('get', showOffer);
    on('post', takeOffer);
    app.use(`${base}/${ASSETS}`, assetRouter(parts.built));
    app.use(base, router, tellFaultsByPage(context));
  };
  mount('/link', linkOffers);
  mount('/buy', priceOffers);
}
