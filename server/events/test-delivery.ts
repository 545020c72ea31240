import type { WebhookTest } from '../../contract/webhooks.ts';
import { tenantKey } from '../admission/tenant.ts';
import type { Deps } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Timestamp } from '../kernel/time.ts';
import { eventText } from '../unit-of-work/facts.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { createSendOnce, type SentDelivery } from './deliveries/attempt.ts';
import type { SendResult } from './deliveries/http/sender.ts';
import { PROVEN_AFTER, UNSTABLE_AFTER } from './deliveries/rules.ts';
import { findEndpoint } from './endpoints.ts';
import type { WebhookEndpoint } from './entity.ts';

/** A receiver may keep whoever waits for it 15 seconds: an account has few such tests in flight. */
async function sendAtOnce(deps: Deps, delivery: SentDelivery, now: Timestamp): Promise<SendResult> {
  const release = deps.sender.waited.tryAcquire(tenantKey(delivery));
  if (release === null) {
    throw new BillingError('SERVICE_UNAVAILABLE', { message: 'Too many tests are in flight; repeat shortly' });
  }
  try {
    return await createSendOnce(deps)(delivery, now);
  } finally {
    release();
  }
}

/** A test is a post like any other (docs/product/webhooks.md#posts-of-a-sandbox). */
async function takePost(deps: Deps, endpoint: WebhookEndpoint): Promise<void> {
  const { accountId, liveMode, url, acceptedPosts, consecutiveFailures } = endpoint;
  const proven = acceptedPosts >= PROVEN_AFTER && consecutiveFailures < UNSTABLE_AFTER;
  const retryAfterSeconds = await deps.posts.take({ accountId, liveMode, url, proven });
  if (retryAfterSeconds === null) return;
  const message = `The posts that a sandbox may make to ${url} in this minute are used up; repeat in ${retryAfterSeconds} s`;
  throw new BillingError('RATE_LIMITED', { message, retryAfterSeconds });
}

/** Sends a `webhook.test` to an endpoint, whatever its state, and tells what came back; it is no event, and nothing of it is kept. */
export async function testEndpoint(deps: Deps, scope: Scope, id: string): Promise<WebhookTest> {
  const endpoint = await findEndpoint(deps, scope, id);
  const { url, secret, formerSecret = null, formerSecretUntil = null } = endpoint;
  const eventId = newId('evt');
  const created = deps.clock.now(scope);
  const { accountId, liveMode } = scope;
  const body = eventText({ id: eventId, type: 'webhook.test', object: null, created, liveMode });
  await takePost(deps, endpoint);
  const secrets = {
    secret: Buffer.from(secret),
    formerSecret: formerSecret === null ? null : Buffer.from(formerSecret),
    formerSecretUntil,
  };
  const result = await sendAtOnce(
    deps,
    { eventId, endpointId: id, accountId, liveMode, url, body, ...secrets },
    created,
  );
  const tested: WebhookTest = {
    object: 'webhook_test',
    webhook_endpoint: id,
    event: eventId,
    delivered: result.ok,
    status_code: result.status,
    failure: result.ok ? null : result.failure,
    detail: result.ok ? null : result.detail,
    answer: result.answer,
    duration_ms: Math.round(result.durationMs),
  };
  return deps.transaction(scope, async (tx) => tx.answer(tested));
}
