import type { z } from 'zod';
import {
  type DeletedWebhookEndpoint,
  WEBHOOK_ENDPOINTS_MAX,
  type WebhookEndpointCreate,
  type WebhookEndpointUpdate,
  type WebhookEndpoint as WebhookEndpointView,
} from '../../contract/webhooks.ts';
import { differences } from '../audit-log/audit-log.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { BillingError, invalidParameter, missing } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Page, PageQuery } from '../kernel/pages.ts';
import { realTimeMs } from '../kernel/time.ts';
import { places } from '../sealing/sealed-columns.ts';
import { listPage } from '../unit-of-work/lists.ts';
import { table } from '../unit-of-work/table.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { readTarget, type Target } from './deliveries/http/target-url.ts';
import { newWebhookSecret } from './deliveries/signing.ts';
import { type WebhookEndpoint, WebhookEndpointSchema } from './entity.ts';
import { expandFilters } from './rules.ts';
import { viewEndpoint } from './view.ts';

type Creation = z.output<typeof WebhookEndpointCreate>;
type Changes = z.output<typeof WebhookEndpointUpdate>;

const URL_PARAM = 'webhook_endpoint.url';

/** The form of a URL is validation; where it leads is a rule (docs/product/webhooks.md#urls). */
function targetOf(url: string, scope: Scope): Target {
  const target = readTarget(url, scope);
  if (!('problem' in target)) return target;
  throw invalidParameter(URL_PARAM, `${URL_PARAM} ${target.problem}`);
}

/**
 * Refuses a host that leads inside, and tells the kind of its address, not the address: answers must not tell of our network. A
 * name that does not resolve now is taken: each delivery looks again, and checks the address that it connects to.
 */
async function refuseAddress(deps: Deps, target: Target): Promise<void> {
  const verdict = await deps.sender.checkTarget(target);
  if (verdict.ok || verdict.failure !== 'private_address') return;
  throw new BillingError('WEBHOOK_URL_REFUSED', { message: `${URL_PARAM}: ${verdict.detail}`, param: URL_PARAM });
}

const endpoints = table(WebhookEndpointSchema, { fixed: ['subscribedAt'] });

/** Registrations of an account in one mode wait for each other here, so that none passes the limit unseen. */
const lockRegistrations = statement(
  'lock_account_endpoints',
  `SELECT FROM account_look look WHERE ${mine('look')} FOR NO KEY UPDATE`,
);

const countEndpoints = statement<{ endpoints: number }>(
  'count_webhook_endpoints',
  `SELECT count(*) AS endpoints FROM webhook_endpoint w WHERE ${mine('w')} AND w.deleted_at IS NULL`,
);

function refuseBeyondLimit([counted]: readonly { endpoints: number }[]): void {
  if (counted === undefined || counted.endpoints < WEBHOOK_ENDPOINTS_MAX) return;
  const message = `An account has at most ${WEBHOOK_ENDPOINTS_MAX} webhook endpoints in each mode; delete one first`;
  throw new BillingError('WEBHOOK_ENDPOINT_LIMIT', { message });
}

/** Registers an endpoint; its secret is in this answer and in no other. */
export async function createEndpoint(deps: Deps, scope: Scope, input: Creation): Promise<WebhookEndpointView> {
  const target = targetOf(input.url, scope);
  refuseBeyondLimit(await readIn(deps.pool, scope, countEndpoints, {}));
  await refuseAddress(deps, target);
  const secret = newWebhookSecret();
  return deps.transaction(scope, async (tx) => {
    await tx.query(lockRegistrations, {});
    refuseBeyondLimit(await tx.query(countEndpoints, {}));
    const id = newId('we');
    const endpoint = tx.insert(endpoints, {
      id,
      url: input.url,
      eventTypes: expandFilters(input.event_types),
      description: input.description ?? null,
      status: 'active',
      secret: deps.secretBox.seal(secret, places.webhookSecret(scope.accountId, id)),
      subscribedAt: new Date(realTimeMs()),
    });
    tx.log({ action: 'webhook_endpoint.created', object: endpoint.id, before: null, after: settingsOf(endpoint) });
    return tx.answer({ ...viewEndpoint(endpoint), secret });
  });
}

/** What the audit log shows of an endpoint. */
export const settingsOf = ({ url, eventTypes, description, status }: WebhookEndpoint) => ({
  url,
  event_types: eventTypes,
  description: description ?? null,
  status,
});

export async function findEndpoint(deps: Deps, scope: Scope, id: string): Promise<WebhookEndpoint> {
  const endpoint = await deps.read(scope).findOne(WebhookEndpointSchema, { id, deletedAt: null });
  if (endpoint === null) throw missing('webhook endpoint', id);
  return endpoint;
}

export const retrieveEndpoint = async (deps: Deps, scope: Scope, id: string): Promise<WebhookEndpointView> =>
  viewEndpoint(await findEndpoint(deps, scope, id));

export function listEndpoints(deps: Deps, scope: Scope, query: PageQuery): Promise<Page<WebhookEndpointView>> {
  const options = { query, where: { deletedAt: null }, url: '/api/v1/webhook_endpoints', view: viewEndpoint };
  return listPage({ deps, scope }, WebhookEndpointSchema, options);
}

/** Null: the endpoint was deleted. */
export async function lockIfThere(tx: Tx, id: string): Promise<WebhookEndpoint | null> {
  const endpoint = await tx.lock(endpoints, id);
  return (endpoint.deletedAt ?? null) === null ? endpoint : null;
}

export async function lockEndpoint(tx: Tx, id: string): Promise<WebhookEndpoint> {
  const endpoint = await lockIfThere(tx, id);
  if (endpoint === null) throw missing('webhook endpoint', id);
  return endpoint;
}

/** From when on the endpoint receives what its filter says: events before then were matched by another, or by none. */
export const resubscribe = statement(
  'resubscribe_endpoint',
  `UPDATE webhook_endpoint w SET subscribed_at = clock_timestamp() WHERE ${mine('w')} AND w.id = :id`,
);

/** Changes an endpoint; what is in flight to it goes to the new URL from its next attempt on. */
export async function updateEndpoint(
  deps: Deps,
  scope: Scope,
  id: string,
  changes: Changes,
): Promise<WebhookEndpointView> {
  const { url, event_types: filters, description, status } = changes;
  if (url !== undefined) {
    const target = targetOf(url, scope);
    await retrieveEndpoint(deps, scope, id);
    await refuseAddress(deps, target);
  }
  return deps.transaction(scope, async (tx) => {
    const endpoint = await lockEndpoint(tx, id);
    const before = settingsOf(endpoint);
    if (url !== undefined && url !== endpoint.url) {
      endpoint.url = url;
      endpoint.acceptedPosts = 0;
    }
    if (filters !== undefined) {
      endpoint.eventTypes = expandFilters(filters);
      // Sent at once: the row itself is written with the commit.
      await tx.query(resubscribe, { id });
    }
    if (description !== undefined) endpoint.description = description;
    if (status === 'disabled' && endpoint.status !== 'disabled') disable(tx, endpoint);
    tx.log({ action: 'webhook_endpoint.updated', object: id, ...differences(before, settingsOf(endpoint)) });
    return tx.answer(viewEndpoint(endpoint));
  });
}

/** More would not be ended within the time of a request: what is left ends without an attempt when its turn comes. */
const ENDED_AT_ONCE = 20_000;

/** `waits`: the condition over the alias `x`, in the words of the index that finds it. */
const endSome = (name: string, waits: string) =>
  statement(
    name,
    `UPDATE delivery d SET status = 'failed', stage = 'done', next_attempt_at = NULL
     FROM (SELECT x.event_id, x.ladder FROM delivery x
       WHERE ${mine('x')} AND x.endpoint_id = :id AND ${waits} LIMIT ${ENDED_AT_ONCE}) o
     WHERE d.event_id = o.event_id AND d.endpoint_id = :id AND d.ladder = o.ladder AND d.stage <> 'done' AND ${mine('d')}`,
  );

const endFresh = endSome('end_fresh_deliveries', `x.stage = 'fresh'`);
const endLadders = endSome('end_ladders', `x.stage = 'ladder' AND (x.stage = 'ladder' OR x.status = 'failed')`);

/** Cases that did not begin would find nothing to do. Recovery asks for those of ladders that were not ended at once. */
const forgetCases = statement(
  'forget_cases_of_ladders',
  `DELETE FROM outbox o WHERE o.live_mode = :liveMode AND o.kind = 'webhook-delivery' AND o.account_id = :accountId AND split_part(o.key, '/', 2) = :id`,
);

/** What was still to be delivered is not; what is recorded at this moment ends when it is claimed. */
function endLaddersOf(tx: Tx, id: string): void {
  tx.write(forgetCases, { id, liveMode: tx.scope.liveMode });
  tx.write(endFresh, { id });
  tx.write(endLadders, { id });
}

/** The refusal to send to an endpoint that is off; `param` names it where the body did. */
export const disabledRefusal = (id: string, param?: string): BillingError =>
  new BillingError('INVALID_STATE', {
    message: `${id} is disabled: enable it by POST /api/v1/webhook_endpoints/${id}/enable first`,
    ...(param === undefined ? {} : { param }),
  });

/** Switches an endpoint off: its ladders end. */
export function disable(tx: Tx, endpoint: WebhookEndpoint): void {
  endpoint.status = 'disabled';
  endpoint.disabledAt = tx.now;
  endLaddersOf(tx, endpoint.id);
}

/** Deletes an endpoint: its ladders end. */
export function deleteEndpoint(deps: Deps, scope: Scope, id: string): Promise<z.output<typeof DeletedWebhookEndpoint>> {
  return deps.transaction(scope, async (tx) => {
    const endpoint = await lockEndpoint(tx, id);
    endpoint.deletedAt = tx.now;
    endLaddersOf(tx, id);
    tx.log({ action: 'webhook_endpoint.deleted', object: id, before: settingsOf(endpoint), after: null });
    return { id, object: 'webhook_endpoint', deleted: true } as const;
  });
}
