import type { WebhookEndpoint as WebhookEndpointView } from '../../contract/webhooks.ts';
import { differences } from '../audit-log/audit-log.ts';
import type { Deps } from '../deps.ts';
import { DAY } from '../kernel/time.ts';
import { places } from '../sealing/sealed-columns.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { newWebhookSecret } from './deliveries/signing.ts';
import { lockEndpoint, resubscribe, settingsOf } from './endpoints.ts';
import { viewEndpoint } from './view.ts';

/** How long deliveries are signed with the former secret as well (docs/product/webhooks.md#rotation). */
const OVERLAP = DAY;

/** Gives an endpoint another secret, which this answer alone shows; of two former ones the older ends at once. */
export function rotateSecret(deps: Deps, scope: Scope, id: string): Promise<WebhookEndpointView> {
  const secret = newWebhookSecret();
  return deps.transaction(scope, async (tx) => {
    const endpoint = await lockEndpoint(tx, id);
    endpoint.formerSecret = endpoint.secret;
    endpoint.formerSecretUntil = tx.now + OVERLAP;
    endpoint.secret = deps.secretBox.seal(secret, places.webhookSecret(scope.accountId, id));
    const after = { former_valid_until: endpoint.formerSecretUntil };
    tx.log({ action: 'webhook_endpoint.secret_rotated', object: id, before: null, after });
    return tx.answer({ ...viewEndpoint(endpoint), secret });
  });
}

/** Has an endpoint receive again, as if nothing had ever failed there. */
export const enableEndpoint = (deps: Deps, scope: Scope, id: string): Promise<WebhookEndpointView> =>
  deps.transaction(scope, async (tx) => {
    const endpoint = await lockEndpoint(tx, id);
    const before = settingsOf(endpoint);
    endpoint.status = 'active';
    endpoint.consecutiveFailures = 0;
    endpoint.failingSince = null;
    endpoint.warnedAt = null;
    endpoint.disabledAt = null;
    // Sent at once: the row itself is written with the commit.
    await tx.query(resubscribe, { id });
    tx.log({ action: 'webhook_endpoint.enabled', object: id, ...differences(before, settingsOf(endpoint)) });
    return tx.answer(viewEndpoint(endpoint));
  });
