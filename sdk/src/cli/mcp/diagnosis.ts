import { errorMeanings } from '../../generated/tools.ts';
import type { DeliveryFailure, EndpointDelivery, Fatura, WebhookEndpoint } from '../../index.ts';
import { clip } from './clip.ts';
import type { Args } from './previews.ts';
import { Refusal } from './refusal.ts';

const DELIVERIES_MAX = 10;
/** More than an account may have. */
const ENDPOINTS_MAX = 10;

/** What a merchant can do about each failure of a delivery. */
const advice: Readonly<Record<DeliveryFailure, string>> = {
  dns: 'The name of the address leads nowhere: check its spelling and its DNS records.',
  connect_timeout: 'Nothing answers at the address: check that the receiver runs, and what firewall stands before it.',
  tls: 'The certificate of the receiver is not to be trusted: expired, self-signed, of another name, or its chain is not complete.',
  timeout: 'The receiver took longer than 15 seconds: answer first, and work afterwards.',
  redirect_refused: 'The receiver redirects, and redirects are not followed: register the address that they lead to.',
  private_address: 'The address is not on the public internet: use `fatura listen` for a machine of your own.',
  http_status:
    'The receiver refused: 400 mostly means that the secret or the body was not as it was sent (parsed before its signature was verified), 401 and 403 a guard before the handler, 404 another path, 5xx a fault of the handler.',
  connection: 'The connection broke off: check the receiver and the proxies before it.',
};

function lastAttempt({ ladders }: EndpointDelivery) {
  const [newest] = ladders.data;
  const last = newest?.attempts.at(-1);
  if (newest === undefined || last === undefined || last.failure === null) return null;
  return { ladder: newest, last, failure: last.failure };
}

function told(delivery: EndpointDelivery): object | null {
  const found = lastAttempt(delivery);
  if (found === null) return null;
  const { ladder, last, failure } = found;
  return {
    event: delivery.id,
    type: delivery.type,
    status: delivery.status,
    attempts: ladder.attempts.length,
    next_attempt: ladder.next_attempt,
    failure,
    status_code: last.status_code,
    detail: last.detail,
    receiver_answered: last.answer,
    advice: advice[failure],
  };
}

async function diagnose(fatura: Fatura, { id, url, status }: WebhookEndpoint, signal: AbortSignal): Promise<object> {
  const of = async (status: 'failed' | 'pending') =>
    (await fatura.webhookEndpoints.deliveries(id, { status, limit: DELIVERIES_MAX }, { signal }).page()).data;
  const deliveries = [...(await of('failed')), ...(await of('pending'))];
  const failures = deliveries.map(told).filter((one) => one !== null);
  return { webhook_endpoint: id, url, status, failures, newest_only: failures.length >= DELIVERIES_MAX };
}

/** What was not delivered, where, why, and what to do about it; of one endpoint or of all. */
export async function diagnoseWebhooks(fatura: Fatura, { webhook_endpoint: only }: Args, signal: AbortSignal) {
  const endpoints =
    only === undefined
      ? await fatura.webhookEndpoints.list({}, { signal }).all({ max: ENDPOINTS_MAX })
      : [await fatura.webhookEndpoints.retrieve(String(only), { signal })];
  const reports = [];
  for (const endpoint of endpoints) reports.push(await diagnose(fatura, endpoint, signal));
  const hint = reports.length === 0 ? 'No endpoint is registered here: nothing is delivered.' : undefined;
  return { endpoints: reports, ...(hint === undefined ? {} : { hint }) };
}

/** What codes of errors mean, and whether the same request may be repeated. */
export function explainErrors({ code }: Args): object {
  if (code === undefined) return errorMeanings;
  const found = Object.entries(errorMeanings).find(([one]) => one === code);
  if (found === undefined) throw new Refusal('PARAMETER_INVALID', `no such code: ${clip(String(code), 100)}`);
  return { code: found[0], ...found[1] };
}
