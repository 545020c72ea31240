import type { Request } from 'express';
import { isPayable } from '../../web/page/page-data.ts';
import type { RateLimiter } from '../admission/rate-limit.ts';
import type { Deps } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { settledWithin } from '../kernel/settled-within.ts';
import { tries } from './page-requests.ts';
import type { Purchase } from './purchase.ts';

/** A page waits so long for the code that it shows at first; what comes later comes by the stream. */
const WAIT_MAX_MS = 1_500;

/**
 * Whether somebody opens the page in a browser, as all of them have told since 2023: programs that preview links, and browsers
 * that load a page before anybody asks for it, make no code.
 */
export function isOpened(request: Request): boolean {
  const purpose = `${request.get('sec-purpose') ?? ''} ${request.get('purpose') ?? ''}`;
  return (
    request.method === 'GET' &&
    request.get('sec-fetch-mode') === 'navigate' &&
    request.get('sec-fetch-dest') === 'document' &&
    !/prefetch|preview|prerender/i.test(purpose)
  );
}

/** Whether the buyer would press the button for the code first thing, and it ends nothing that could still be chosen. */
export function wantsCode(purchase: Purchase): boolean {
  const { methods, qr, mandate, takesCode, debitedOn, declined } = purchase;
  const isMandateAsked = mandate !== null && mandate.qr !== null;
  const endsNothing = !isMandateAsked && !takesCode && debitedOn === null && declined === null;
  return isPayable(purchase) && methods.includes('pix') && qr === null && endsNothing;
}

interface FirstCode {
  readonly deps: Pick<Deps, 'logger'>;
  readonly rateLimiter: RateLimiter;
}

/** Makes the code of a purchase within its limits; whether it stands by now. Where it does not, the page has the button. */
export async function makeFirstCode(
  { deps, rateLimiter }: FirstCode,
  { purchase, make }: { purchase: Purchase; make: () => Promise<unknown> },
): Promise<boolean> {
  const { allowed } = await rateLimiter.consume(purchase.id, tries.firstCode);
  if (!allowed) return false;
  const made = make().then(
    () => true,
    (error: unknown) => {
      // What the button would be refused, it says once it is pressed.
      if (!(error instanceof BillingError)) deps.logger.error({ err: error, id: purchase.id }, 'no first code');
      return false;
    },
  );
  return settledWithin(WAIT_MAX_MS, made, () => false);
}
