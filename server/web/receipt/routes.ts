import express, { type Express, type Request, type Response } from 'express';
import type { Assets } from '../../../web/page/page-data.ts';
import type { ReceiptView } from '../../../web/page/receipt-data.ts';
import { limits, QUEUE_TIMEOUT_MS } from '../../admission/limits.ts';
import type { RateLimit } from '../../admission/rate-limit.ts';
import { type Tenant, tenantKey } from '../../admission/tenant.ts';
import type { Deps } from '../../deps.ts';
import { setRoute } from '../../http/request.ts';
import { BillingError } from '../../kernel/errors.ts';
import { FairSemaphore, NoPermit } from '../../kernel/fair-semaphore.ts';
import { assetsAt, type BuiltPages } from '../built.ts';
import { accentStyle } from '../look.ts';
import { sendFile, sendPage } from '../page.ts';
import type { PageAdmission } from '../page-admission.ts';
import { sendMessage, tellFaultsByPage } from '../page-answers.ts';
import { idOfLink, tries } from '../page-requests.ts';
import { type FoundReceipt, readReceipt } from './read.ts';
import { DrawingThread } from './thread.ts';

interface ReceiptParts {
  readonly built: BuiltPages;
  readonly pageAdmission: PageAdmission;
}

interface Context extends ReceiptParts {
  readonly deps: Deps;
  readonly assets: Assets;
}

type Link = { invoice: string; signature: string };
type LinkRequest = Request<Link>;

interface Receipt {
  readonly of: Tenant;
  readonly view: ReceiptView;
}

type Show = (response: Response, receipt: Receipt, link: Link) => Promise<void> | void;

const PATH = '/:invoice/:signature';

const idOf = (deps: Deps, { invoice: id, signature }: Link): string | null =>
  idOfLink(deps, 'invoice', { id, signature });

const NO_RECEIPT = { not_found: 'not_found', unpaid: 'no_receipt' } as const;

const sendNone = (context: Context, response: Response, why: keyof typeof NO_RECEIPT): void =>
  sendMessage(context, response, { status: 404, message: NO_RECEIPT[why] });

async function findReceipt({ deps, pageAdmission }: Context, request: LinkRequest): Promise<FoundReceipt | null> {
  const { invoice } = request.params;
  const found = await readReceipt(deps, invoice);
  if (found !== null) pageAdmission.learn(request, invoice, found.of);
  return found;
}

/** Shows the receipt of a link within the limit of its account; the page of an unpaid invoice says that there is none. */
const receiptBy =
  (context: Context, { limit, show }: { limit: RateLimit; show: Show }) =>
  async (request: LinkRequest, response: Response): Promise<void> => {
    const { params } = request;
    const id = idOf(context.deps, params);
    if (id === null) return sendNone(context, response, 'not_found');
    await context.pageAdmission.show(request, response, {
      id,
      limit,
      find: () => findReceipt(context, request),
      whose: (found) => found?.of ?? null,
      show: (found) => {
        if (found === null) return sendNone(context, response, 'not_found');
        if (found.receipt === 'unpaid') return sendNone(context, response, 'unpaid');
        return show(response, { of: found.of, view: found.receipt }, params);
      },
    });
  };

const showPage =
  ({ built, assets }: Context): Show =>
  (response, { view }, { signature }) => {
    const links = { file: './receipt.pdf', payment: `../${signature}` };
    const accent = accentStyle(view.seller.color);
    sendPage(response, {
      status: 200,
      page: built.renderer.renderReceipt(view, { links, assets, accent }),
      style: accent,
    });
  };

const sendReceiptFile = ({ deps }: Context): Show => {
  const thread = new DrawingThread();
  const files = new FairSemaphore({ total: 1, each: 1, queue: limits.receipt_files.live, timeoutMs: QUEUE_TIMEOUT_MS });
  const makeFile = async ({ of, view }: Receipt): Promise<Uint8Array> => {
    const release = await files.acquire(tenantKey(of)).catch((error: unknown) => {
      if (!(error instanceof NoPermit)) throw error;
      deps.metrics.limits.refuse('receipt_files', of);
      throw new BillingError('SERVICE_UNAVAILABLE', { message: 'Too many files are asked for' });
    });
    return thread.draw(view).finally(release);
  };
  // Made whole before anything is sent, so that a fault of ours is told by a page.
  return async (response, receipt) => {
    const name = `recibo-${receipt.view.invoiceId}.pdf`;
    const content = response.req.method === 'HEAD' ? null : await makeFile(receipt);
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
      return context.pageAdmission.follow(request, idOf(deps, request.params), () => handle(request, response));
    });
  on('/receipt', receiptBy(context, { limit: tries.receipt, show: showPage(context) }));
  on('/receipt.pdf', receiptBy(context, { limit: tries.receiptFile, show: sendReceiptFile(context) }));
  app.use('/pay', router, tellFaultsByPage(context));
}
