import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { RateLimit, RateLimiter } from '../admission/rate-limit.ts';
import type { Deps } from '../deps.ts';
import { countedAddress } from '../http/address.ts';
import type { Admission } from '../http/admit.ts';
import { setByProxy } from '../http/private.ts';
import { setRoute } from '../http/request.ts';
import type { NoticeVerdict } from '../payments/live/method.ts';
import { NOTICE_PATH } from '../payments/live/notice-url.ts';
import { findReceiver, takeNotice } from '../payments/live/notices.ts';
import type { LiveAcquirerRow } from '../payments/live/store.ts';

/** A callback names a payment in about 300 bytes. */
const BODY_BYTES_MAX = 256 * 1_024;
/** Of one address in a minute: a PSP may serve every shop of this installation. What is refused comes again, or the sweep finds it. */
const LIMIT: RateLimit = { name: 'acquirer_notice', max: 30_000, block: 100 };
/** Of paths that are nobody's. */
const MISSES: RateLimit = { name: 'acquirer_notice_miss', max: 60, block: 1 };

const statuses: Readonly<Record<NoticeVerdict, number>> = {
  taken: 200,
  certificate_refused: 403,
  signature_refused: 401,
  // It comes again.
  keys_unreadable: 503,
  unreadable: 400,
};

/** Whatever its Content-Type says: PSPs send JSON as text, too. */
const readText = express.text({ type: () => true, limit: BODY_BYTES_MAX });

/** A body that is too long, breaks off or cannot be unpacked is answered as such: it is no fault of ours. */
function readBody(request: Request, response: Response, next: NextFunction): void {
  readText(request, response, (error?: unknown) => {
    if (error === undefined) return next();
    const isTooLarge = error instanceof Error && 'type' in error && error.type === 'entity.too.large';
    response.status(isTooLarge ? 413 : 400).json({});
  });
}

type NoticeRequest = Request<{ token: string }>;

/** Takes the callbacks of acquirers, at a path of each account that nobody can guess, with and without what API Pix puts behind it. */
export function mountAcquirerNotices(
  app: Express,
  deps: Deps,
  { rateLimiter, admission }: { rateLimiter: RateLimiter; admission: Admission },
): void {
  const { clientCertificateHeader, modes } = deps.settings;
  const receivers = new WeakMap<Request, LiveAcquirerRow>();

  /** Nothing is read of what comes to a path that is nobody's. */
  const know = async (request: NoticeRequest, response: Response, next: NextFunction): Promise<void> => {
    setRoute(request, { path: `${NOTICE_PATH}/:token`, scope: 'write' });
    const admit = async (limit: RateLimit): Promise<boolean> => {
      const { allowed, resetSeconds } = await rateLimiter.consume(countedAddress(request.ip), limit);
      if (!allowed) request.refusedWith = 'RATE_LIMITED';
      if (!allowed) response.status(429).setHeader('Retry-After', String(resetSeconds)).json({});
      return allowed;
    };
    if (!modes.includes('live')) {
      request.refusedWith = 'MODE_NOT_SERVED';
      response.status(421).json({});
      return;
    }
    if (!(await admit(LIMIT))) return;
    const receiver = await findReceiver(deps, request.params.token);
    if (receiver === null) {
      request.refusedWith = 'unknown_path';
      if (await admit(MISSES)) response.status(404).json({});
      return;
    }
    request.concerns = { accountId: receiver.accountId, liveMode: true };
    receivers.set(request, receiver);
    next();
  };

  const take = async (request: NoticeRequest, response: Response): Promise<void> => {
    const receiver = receivers.get(request);
    if (receiver === undefined) throw new Error('a callback came past the one who knows whose it is');
    const certificate = clientCertificateHeader === null ? null : setByProxy(request, clientCertificateHeader);
    const owner = { accountId: receiver.accountId, liveMode: true, by: 'acquirer' } as const;
    // A request without a body has none to be read.
    const text = typeof request.body === 'string' ? request.body : '';
    const callback = { certificate, headers: request.headers, text };
    const verdict = await admission.run(request, owner, () => takeNotice(deps, receiver, callback));
    if (verdict !== 'taken') request.refusedWith = verdict;
    response.status(statuses[verdict]).json({});
  };
  for (const ending of ['', '/pix', '/rec', '/cobr']) app.post(`${NOTICE_PATH}/:token${ending}`, know, readBody, take);
}
