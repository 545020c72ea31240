import { SESSION_ID_PLACEHOLDER, type SessionStatus } from '../../contract/checkout-sessions.ts';
import { BillingError, invalidParameter } from '../kernel/errors.ts';
import { HOUR, type Timestamp } from '../kernel/time.ts';

/** A session accepts payment for so long (docs/product/checkout-sessions.md#deadline). */
export const SESSION_SECONDS = HOUR;

/** What was paid by a standing QR code at the very deadline is known to the bank by then. */
export const DECISION_SECONDS = 30;

export type SessionAction = 'complete' | 'expire';

/** Every move a session can make (docs/product/checkout-sessions.md#moves); a move not listed cannot happen. */
export const sessionMoves = {
  open: { complete: 'complete', expire: 'expired' },
  complete: {},
  expired: {},
} as const satisfies Record<SessionStatus, Partial<Record<SessionAction, SessionStatus>>>;

/** Where an action leads from a status; 409 SESSION_NOT_OPEN when it leads nowhere. */
export function nextSessionStatus(
  { id, status }: { id: string; status: SessionStatus },
  action: SessionAction,
): SessionStatus {
  const moves: Partial<Record<SessionAction, SessionStatus>> = sessionMoves[status];
  const next = moves[action];
  if (next === undefined) throw new BillingError('SESSION_NOT_OPEN', { message: `${id} is ${status}` });
  return next;
}

/**
 * A session as it reads: from its deadline on it is expired, before any run, but while a charge or a QR code of its invoice
 * may still complete it.
 */
export const shownStatus = (
  { status, expiresAt }: { status: SessionStatus; expiresAt: Timestamp },
  { isUndecided, now }: { isUndecided: boolean; now: Timestamp },
): SessionStatus => (status === 'open' && expiresAt <= now && !isUndecided ? 'expired' : status);

/** From its deadline on a session takes nothing, before any run. */
export function refuseUnlessOpen(
  { id, status, expiresAt }: { id: string; status: SessionStatus; expiresAt: Timestamp },
  now: Timestamp,
): void {
  if (status !== 'open') throw new BillingError('SESSION_NOT_OPEN', { message: `${id} is ${status}` });
  if (expiresAt <= now)
    throw new BillingError('SESSION_NOT_OPEN', { message: `${id} took payment until ${expiresAt}` });
}

/** In a path the parser of URLs writes the braces of the placeholder in another way. */
const SESSION_ID_WRITTEN = new RegExp(`${SESSION_ID_PLACEHOLDER}|${encodeURIComponent(SESSION_ID_PLACEHOLDER)}`, 'g');

/** A `success_url` with the id of its session in it. */
export const filledIn = (successUrl: string, id: string): string => successUrl.replaceAll(SESSION_ID_WRITTEN, id);

/** Where a buyer is sent: in live an address that nobody on the way can read. */
export function refuseWebAddress(address: string, { liveMode, param }: { liveMode: boolean; param: string }): void {
  if (!liveMode || address.startsWith('https:')) return;
  throw invalidParameter(param, `${param} must begin with https:// in live mode, got ${address}`);
}

/**
 * When the end of a session is decided next: at its deadline; with a QR code that stands there, a little later, when the
 * bank knows what was paid until then.
 */
export const decidedAt = ({ expiresAt }: { expiresAt: Timestamp }, hasQr: boolean): Timestamp =>
  hasQr ? expiresAt + DECISION_SECONDS : expiresAt;
