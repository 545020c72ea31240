import type { Deps } from '../deps.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { lockSubscription } from './rows.ts';

/** What a buyer is shown on a page before paying, and where from. */
export interface ShownConsent {
  readonly text: string;
  readonly ip: string;
}

export const shownConsent = ({ text, ip }: ShownConsent) => ({ consentText: text, consentIp: ip });

/** Keeps what the buyer is shown on the page that sells a subscription; what is agreed to already stays. */
export const showConsent = (
  deps: Deps,
  scope: Scope,
  { subscriptionId, shown }: { subscriptionId: string; shown: ShownConsent },
): Promise<void> =>
  deps.transaction(scope, async (tx) => {
    const { subscription } = await lockSubscription(tx, subscriptionId);
    if (subscription.consentAt == null && subscription.status !== 'inactive')
      Object.assign(subscription, shownConsent(shown));
  });
