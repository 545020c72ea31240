import express, { type Express, type Request, type Response } from 'express';
import { storedEmail } from '../../../contract/forms.ts';
import type { PortalAsk } from '../../../web/page/portal-data.ts';
import type { RateLimiter } from '../../admission/rate-limit.ts';
import type { Deps } from '../../deps.ts';
import { countedAddress } from '../../http/address.ts';
import { setRoute } from '../../http/request.ts';
import { FairSemaphore } from '../../kernel/fair-semaphore.ts';
import { DAY, HOUR, MINUTE } from '../../kernel/time.ts';
import { mailPortalLinks } from '../../portal/by-email.ts';
import { assetsAt, type BuiltPages } from '../built.ts';
import { SECRECY, sendPage } from '../page.ts';
import { tellFaultsByPage } from '../page-answers.ts';
import { keptLocale, languageOf, localeQuery } from '../page-language.ts';
import { readFields, refuseOtherSitesForm } from '../page-requests.ts';

/** Letters of one address, known by its hash: few enough that those about money are still sent (docs/product/mail.md#limits). */
const OF_ADDRESS = [
  { name: 'page_portal_email', max: 3, block: 1, windowSeconds: HOUR },
  { name: 'page_portal_email_of_day', max: 6, block: 1, windowSeconds: DAY },
] as const;
/** Addresses that are asked for from one place of the network. */
const OF_NETWORK = { name: 'page_portal_ask', max: 20, block: 1, windowSeconds: HOUR } as const;

/** Look-ups that wait for those before them; what is more is forgotten, as if it had come too often. */
const WAITING_MAX = 200;
const WAIT_MS = 5 * MINUTE * 1_000;

interface Parts {
  readonly built: BuiltPages;
  readonly rateLimiter: RateLimiter;
}

const PATH = '/portal';

/** Looks an address up behind the answer, one at a time: how long that takes tells nobody whether somebody knows it. */
function createLookUps(deps: Deps, { rateLimiter }: Parts) {
  const turns = new FairSemaphore({ total: 1, each: 1, queue: WAITING_MAX, timeoutMs: WAIT_MS });
  const lookUp = async (email: string): Promise<void> => {
    const id = deps.secretBox.fingerprint(['portal-email', email.toLowerCase()]).toString('base64url');
    for (const limit of OF_ADDRESS) if (!(await rateLimiter.consume(id, limit)).allowed) return;
    const release = await turns.acquire('portal');
    await mailPortalLinks(deps, email).finally(release);
  };
  return (email: string): void => {
    lookUp(email).catch((error: unknown) => deps.logger.warn({ err: error }, 'links of the portal were not looked up'));
  };
}

/** Mounts the page that asks for an address, and says of each the same (docs/product/portal.md#by-e-mail). */
export function mountPortalAsk(app: Express, deps: Deps, parts: Parts): void {
  const { built, rateLimiter } = parts;
  const assets = assetsAt('portal/', built);
  const lookUp = createLookUps(deps, parts);
  const send = (response: Response, status: number, about: PortalAsk): void => {
    const { req } = response;
    const shown = { action: `portal${localeQuery(req)}`, language: languageOf(req), assets };
    sendPage(response, { status, page: built.renderer.renderAsk(about, shown), style: null });
  };
  const router = express.Router({ strict: true, caseSensitive: true });
  router.get(PATH, (request: Request, response: Response) => {
    setRoute(request, { path: PATH, scope: 'read' });
    send(response, 200, request.query.sent === '1' ? 'asked' : 'ask');
  });
  router.post(PATH, async (request: Request, response: Response) => {
    setRoute(request, { path: PATH, scope: 'write' });
    refuseOtherSitesForm(request, deps.settings.publicUrl);
    const { email } = await readFields(request, response);
    const address = typeof email === 'string' ? storedEmail(email.trim()) : null;
    if (address === null) return send(response, 400, 'no_address');
    const { allowed, resetSeconds } = await rateLimiter.consume(countedAddress(request.ip), OF_NETWORK);
    if (!allowed) {
      response.setHeader('Retry-After', String(resetSeconds));
      return send(response, 429, 'too_often');
    }
    lookUp(address);
    response.set(SECRECY).redirect(303, `portal${keptLocale(request, '?sent=1')}`);
  });
  app.use(router);
  app.use(PATH, tellFaultsByPage({ deps, built, assets }));
}
