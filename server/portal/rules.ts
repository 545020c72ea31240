import type { PortalCancel } from '../../contract/collection-settings.ts';
import type { SubscriptionStatus } from '../../contract/subscriptions.ts';

/** What of a subscription says what its buyer may do with it. */
export interface Manageable {
  readonly status: SubscriptionStatus;
  readonly cancelAt: number | null;
  /** Whether it ends with its period; an instant was said by its merchant. */
  readonly cancelAtPeriodEnd: boolean;
  readonly pausedAt: number | null;
  readonly items: number;
}

/** What its account allows. */
interface Allowed {
  readonly cancel: PortalCancel;
  readonly pause: boolean;
  readonly changePrices: readonly string[];
}

export const portalActs = ['cancel', 'uncancel', 'pause', 'resume', 'change'] as const;
export type PortalAct = (typeof portalActs)[number];

/** What a buyer may do with a subscription by themselves (docs/product/portal.md#what-a-buyer-may-do). */
export function actsOf(
  { status, cancelAt, cancelAtPeriodEnd, pausedAt, items }: Manageable,
  allowed: Allowed,
): readonly PortalAct[] {
  const renews = status === 'active' || status === 'trialing';
  const may: Record<PortalAct, boolean> = {
    cancel: renews && cancelAt === null && allowed.cancel === 'period_end',
    uncancel: renews && cancelAtPeriodEnd && allowed.cancel === 'period_end',
    pause: status === 'active' && cancelAt === null && pausedAt === null && allowed.pause,
    resume: (status === 'paused' || (status === 'active' && pausedAt !== null)) && allowed.pause,
    // Which of several items another price takes the place of, nobody can say.
    change: renews && cancelAt === null && items === 1 && allowed.changePrices.length > 0,
  };
  return portalActs.filter((act) => may[act]);
}
