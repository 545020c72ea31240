import express, { type Express, type Request, type Response } from 'express';
import type { Assets } from '../../web/page/page-data.ts';
import { ACCOUNT_LOOK } from '../accounts/look.ts';
import { type ScopeRow, scopeColumns, scopeOf } from '../accounts/scope.ts';
import { acrossAccounts, run } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { setRoute } from '../http/request.ts';
import type { PageLook } from '../kernel/account.ts';
import type { Timestamp } from '../kernel/time.ts';
import { CONFIRMABLE_FOR, confirmEmail } from '../mail/typed-email.ts';
import { ASSETS, assetRouter, assetsAt, type BuiltPages } from './built.ts';
import { pageStyle } from './look.ts';
import { SECRECY, sendPage } from './page.ts';
import type { PageAdmission } from './page-admission.ts';
import { tellFaultsByPage } from './page-answers.ts';
import { idOfLink, refuseOtherSitesForm, tries } from './page-requests.ts';
import { fromOtherPage } from './purchase.ts';

interface Parts {
  readonly built: BuiltPages;
  readonly pageAdmission: PageAdmission;
}

interface Context extends Parts {
  readonly deps: Deps;
  readonly assets: Assets;
}

type Link = { customer: string; signature: string };
type LinkRequest = Request<Link>;

interface ConfirmationRow extends ScopeRow {
  readonly id: string;
  readonly askedAt: Timestamp;
  readonly isConfirmed: boolean;
  readonly look: PageLook;
  readonly openInvoiceId: string | null;
}

const readConfirmation = acrossAccounts<ConfirmationRow>(
  'read_email_confirmation',
  `SELECT t.id, ${scopeColumns('t')}, t.asked_at AS "askedAt", t.confirmed_at IS NOT NULL AS "isConfirmed", ${ACCOUNT_LOOK},
     (SELECT i.id FROM invoice i WHERE i.customer_id = t.id AND i.status = 'open' ORDER BY i.id LIMIT 1) AS "openInvoiceId"
   FROM typed_email t JOIN account a ON a.id = t.account_id
     JOIN account_look look ON look.account_id = t.account_id AND look.live_mode = t.live_mode WHERE t.id = :id AND t.asked_at IS NOT NULL`,
);

const PATH = '/:customer/:signature';
const BASE = '/confirm';

const idOf = (deps: Deps, { customer: id, signature }: Link): string | null =>
  idOfLink(deps, 'confirmation', { id, signature });

function sendMissing({ built, assets }: Context, response: Response, status: 404 | 410): void {
  response.req.refusedWith = 'RESOURCE_MISSING';
  const message = status === 404 ? 'not_found' : 'gone';
  sendPage(response, { status, page: built.renderer.renderMessage(message, assets), style: null });
}

/** A look alone confirms nothing: programs that preview the links of letters look, too. */
function showPage({ deps, built, assets }: Context, response: Response, row: ConfirmationRow): void {
  const { look, isConfirmed, openInvoiceId } = row;
  const bill =
    isConfirmed && openInvoiceId !== null
      ? fromOtherPage(deps.links.payment({ id: openInvoiceId, liveMode: row.liveMode }))
      : null;
  const style = pageStyle(look);
  const view = { merchant: look.name, isConfirmed, bill };
  sendPage(response, { status: 200, page: built.renderer.renderConfirmation(view, assets, style), style });
}

/** The button was pressed; the page behind the redirect says that it counts. */
async function confirm(
  { deps }: Context,
  { request, response, row }: { request: LinkRequest; response: Response; row: ConfirmationRow },
): Promise<void> {
  refuseOtherSitesForm(request, deps.settings.publicUrl);
  await confirmEmail(deps, scopeOf(row), row.id);
  // Relative, so that it holds behind a proxy that serves us under a path of its own.
  response.set(SECRECY).redirect(303, `./${request.params.signature}`);
}

type Act = (response: Response, row: ConfirmationRow) => Promise<void> | void;

/** Within the limit of the account whose customer the link names, and as long as the link is good. */
async function handle(context: Context, request: LinkRequest, response: Response, act: Act): Promise<void> {
  const { deps, pageAdmission } = context;
  const id = idOf(deps, request.params);
  if (id === null) return sendMissing(context, response, 404);
  await pageAdmission.show(request, response, {
    id,
    limit: tries.confirmation,
    find: async () => {
      const [row] = await run(deps.pool, readConfirmation, { id });
      if (row !== undefined) pageAdmission.learn(request, id, row);
      return row ?? null;
    },
    whose: (row) => row,
    show: (row) => {
      if (row === null) return sendMissing(context, response, 404);
      const isOver = deps.clock.now(scopeOf(row)) >= row.askedAt + CONFIRMABLE_FOR;
      return isOver ? sendMissing(context, response, 410) : act(response, row);
    },
  });
}

/** Mounts the page on which an address is confirmed that its buyer typed (docs/product/mail.md#an-address-that-its-buyer-typed). */
export function mountConfirmation(app: Express, deps: Deps, parts: Parts): void {
  const context = { ...parts, deps, assets: assetsAt('../', parts.built) };
  const router = express.Router({ strict: true, caseSensitive: true });
  const on = (method: 'get' | 'post', act: (request: LinkRequest) => Act) =>
    router[method](PATH, (request: LinkRequest, response: Response) => {
      setRoute(request, { path: `${BASE}${PATH}`, scope: method === 'get' ? 'read' : 'write' });
      const work = () => handle(context, request, response, act(request));
      return context.pageAdmission.follow(request, idOf(deps, request.params), work);
    });
  on('get', () => (response, row) => showPage(context, response, row));
  on('post', (request) => (response, row) => confirm(context, { request, response, row }));
  app.use(`${BASE}/${ASSETS}`, assetRouter(parts.built));
  app.use(BASE, router, tellFaultsByPage(context));
}
