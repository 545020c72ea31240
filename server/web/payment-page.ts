import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';
import { type ErrorCode, errorCatalog } from '../../contract/errors.ts';
import { readyClock } from '../accounts/clock.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { toRefusal } from '../http/error-handler.ts';
import { isPaymentLink } from '../invoices/payment-link.ts';
import { checkoutByPix } from '../payments/pix/checkout.ts';
import { type Bill, findBill } from './bill.ts';
import { sendPage } from './page.ts';
import { notFoundPage, paymentPage, problemOf, problemPage } from './payment-view.ts';

type LinkRequest = Request<{ invoice: string; signature: string }>;
type PageHandler = (request: LinkRequest, response: Response) => Promise<void>;

/** The bill of a link that was made here; nothing is looked up for any other. */
async function billOf(deps: Deps, { params }: LinkRequest): Promise<Bill | null> {
  const { invoice: invoiceId, signature } = params;
  return isPaymentLink(deps, { invoiceId, signature }) ? findBill(deps, invoiceId) : null;
}

const sendNotFound = (response: Response): void => sendPage(response, { status: 404, page: notFoundPage() });

/** The code that an error is answered with; a fault that is none of the catalogue's is logged. */
function codeOf(deps: Deps, error: unknown, { requestId }: Request): ErrorCode {
  const refusal = toRefusal(error);
  if (refusal !== null) return refusal.code;
  deps.logger.error({ err: error, requestId }, 'unexpected fault');
  return 'INTERNAL_ERROR';
}

const showBill =
  (deps: Deps): PageHandler =>
  async (request, response) => {
    const bill = await billOf(deps, request);
    if (bill === null) return sendNotFound(response);
    sendPage(response, { status: 200, page: paymentPage(bill) });
  };

/** Nothing of a sandbox changes while its clock is advanced. */
async function readyScope(deps: Deps, { accountId, liveMode }: Scope): Promise<void> {
  if (!liveMode) await readyClock(deps.pool, { accountId });
}

/** Makes the QR code, or finds the one that stands; the page behind the redirect shows it. */
const makeQr =
  (deps: Deps): PageHandler =>
  async (request, response) => {
    const bill = await billOf(deps, request);
    if (bill === null) return sendNotFound(response);
    try {
      await readyScope(deps, bill.scope);
      await checkoutByPix(deps, bill.scope, { invoiceId: bill.id, show: async (_, invoice) => invoice });
    } catch (error) {
      const code = codeOf(deps, error, request);
      // The refusal may have come with news, such as a payment that was found.
      const standing = (await findBill(deps, bill.id)) ?? bill;
      return sendPage(response, { status: errorCatalog[code].status, page: paymentPage(standing, problemOf(code)) });
    }
    // Relative, so that it holds behind a proxy that serves us under a path of its own.
    response.set('Cache-Control', 'no-store').redirect(303, `./${request.params.signature}`);
  };

/** Whatever goes wrong on the way to a page is told by a page. */
const handlePageErrors =
  (deps: Deps): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    if (response.writableEnded) return;
    if (response.headersSent) return next(error);
    const code = codeOf(deps, error, request);
    sendPage(response, { status: errorCatalog[code].status, page: problemPage(problemOf(code)) });
  };

/** Mounts the page that a payment link leads to. It needs no key: the link itself is the permission. */
export function mountPaymentPage(app: Express, deps: Deps): void {
  const router = express.Router({ strict: true });
  router.get('/:invoice/:signature', showBill(deps));
  router.post('/:invoice/:signature', makeQr(deps));
  app.use('/pay', router, handlePageErrors(deps));
}
