import express, { type Express, type Request, type Response } from 'express';
import type { Limit, RateLimiter } from '../../accounts/rate-limit.ts';
import { workFor } from '../../db/owner.ts';
import type { Deps } from '../../deps.ts';
import { setRoute } from '../../http/request.ts';
import { assetsAt, type BuiltPages } from '../built.ts';
import type { Assets } from '../checkout/page-data.ts';
import type { ReceiptView } from '../checkout/receipt-data.ts';
import { accentStyle } from '../look.ts';
import { sendFile, sendPage } from '../page.ts';
import { admit, tries } from '../page-requests.ts';
import { tellFaultsByPage } from '../payment-page.ts';
import { type FoundReceipt, readReceipt } from './read.ts';
import { createTurns } from './turns.ts';

interface ReceiptParts {
  readonly built: BuiltPages;
  readonly rateLimiter: RateLimiter;
}

interface Context extends ReceiptParts {
  readonly deps: Deps;
  readonly assets: Assets;
}

type Link = { invoice: string; signature: string };
type LinkRequest = Request<Link>;
type Show = (response: Response, view: ReceiptView, link: Link) => Promise<void> | void;

const PATH = '/:invoice/:signature';

/** Nothing is looked up for a link that was not made here. */
async function findReceipt(deps: Deps, { invoice: id, signature }: Link): Promise<FoundReceipt | null> {
  return deps.links.isGenuine('invoice', { id, signature }) ? readReceipt(deps, id) : null;
}

/** Shows the receipt of a link; the page of an unpaid invoice says that there is none. */
const receiptBy =
  ({ deps, built, assets, rateLimiter }: Context, { limit, show }: { limit: Limit; show: Show }) =>
  async (request: LinkRequest, response: Response): Promise<void> => {
    const { params } = request;
    const found = await findReceipt(deps, params);
    if (found !== null) request.concerns = found.of;
    if (found === null || found.receipt === 'unpaid') {
      request.refusedWith = 'RESOURCE_MISSING';
      const message = found === null ? 'not_found' : 'no_receipt';
      return sendPage(response, { status: 404, page: built.renderer.renderMessage(message, assets), style: null });
    }
    await admit(rateLimiter, response, { id: params.invoice, limit });
    await show(response, found.receipt, params);
  };

const showPage =
  ({ built, assets }: Context): Show =>
  (response, view, { signature }) => {
    const links = { file: './receipt.pdf', payment: `../${signature}` };
    const accent = accentStyle(view.seller.color);
    sendPage(response, {
      status: 200,
      page: built.renderer.renderReceipt(view, { links, assets, accent }),
      style: accent,
    });
  };

/** So many files wait to be made; more than a process makes in a second or two. */
const FILES_WAITING_MAX = 20;

/** Made whole before anything is sent, so that a fault of ours is told by a page. */
const sendReceiptFile = (): Show => {
  const inTurn = createTurns(FILES_WAITING_MAX);
  const makeFile = async (view: ReceiptView) => {
    // Forty megabytes, which a process that is asked for no file does without.
    const { drawReceipt } = await import('./file.ts');
    return inTurn(() => drawReceipt(view));
  };
  return async (response, view) => {
    const name = `recibo-${view.invoiceId}.pdf`;
    const content = response.req.method === 'HEAD' ? null : await makeFile(view);
    sendFile(response, { name, type: 'application/pdf', content });
  };
};

/** Mounts the receipts of paid invoices, below the addresses of their pages (docs/product/receipts.md). */
export function mountReceipts(app: Express, deps: Deps, parts: ReceiptParts): void {
  const context = { ...parts, deps, assets: assetsAt('../../', parts.built) };
  const router = express.Router({ strict: true });
  const on = (below: string, handle: (request: LinkRequest, response: Response) => Promise<void>) =>
    router.get(PATH + below, (request: LinkRequest, response: Response) => {
      setRoute(request, { path: `/pay${PATH}${below}`, scope: 'read' });
      return workFor({ page: request.params.invoice }, () => handle(request, response));
    });
  on('/receipt', receiptBy(context, { limit: tries.receipt, show: showPage(context) }));
  on('/receipt.pdf', receiptBy(context, { limit: tries.receiptFile, show: sendReceiptFile() }));
  app.use('/pay', router, tellFaultsByPage(context));
}
