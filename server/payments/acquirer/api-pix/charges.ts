import { cents } from '../../../kernel/money.ts';
import { realTimeMs, SECOND_MS } from '../../../kernel/time.ts';
import { brCode, decimal } from '../br-code.ts';
import { isRefusal, isSuccess, unknownBy } from '../http.ts';
import type { AcquirerAnswer, Merchant, PixCob, PixRequest } from '../port.ts';
import type { PspClient } from './client.ts';
import { type ReadCob, readCob } from './reading.ts';

/** The charge as the PSP has it; null: it has none. */
async function findCob(client: PspClient, txid: string): Promise<AcquirerAnswer<ReadCob | null>> {
  return client.find({ resource: 'cob', segments: [txid] }, (body) => readCob(body, txid));
}

/**
 * Makes a charge, once for its txid: what a PSP does with a repeat is its own affair (a new revision, 400 or 409), so
 * whatever may be a repeat looks first, and whatever was not answered with the charge looks afterwards.
 */
export async function createCob(
  client: PspClient,
  merchant: Merchant,
  request: PixRequest,
): Promise<AcquirerAnswer<{ copyPaste: string }>> {
  const { txid } = request;
  if (request.isRepeat) {
    const found = await findCob(client, txid);
    if (!found.known) return found;
    if (found.value !== null) return handOut(client, merchant, { request, cob: found.value });
  }
  const exchange = await client.call({
    method: 'PUT',
    resource: 'cob',
    segments: [txid],
    body: cobBody(client, request),
  });
  const made = isSuccess(exchange) ? readCob(exchange.body, txid) : null;
  if (made !== null) return handOut(client, merchant, { request, cob: made });
  if (exchange.kind === 'not_sent') return unknownBy(exchange);
  const found = await findCob(client, txid);
  if (found.known && found.value !== null) return handOut(client, merchant, { request, cob: found.value });
  if (found.known && isRefusal(exchange)) return { known: false, why: 'refused' };
  return unknownBy(exchange);
}

const EXPIRES_SECONDS_MIN = 60;

/** Strict: nothing but what the document has for every PSP. */
const cobBody = ({ settings }: PspClient, { amount, expiresAt }: PixRequest): object => ({
  // Counted from its creation; the service keeps the instant itself, for an expired charge stays ATIVA.
  calendario: { expiracao: Math.max(EXPIRES_SECONDS_MIN, expiresAt - Math.floor(realTimeMs() / SECOND_MS)) },
  valor: { original: decimal(cents(amount)) },
  chave: settings.pixKey,
});

/** The text of a charge's QR code, as the PSP tells it, or made of where the charge is. */
async function handOut(
  client: PspClient,
  { name: merchantName, city: merchantCity }: Merchant,
  { request, cob }: { request: PixRequest; cob: ReadCob },
): Promise<AcquirerAnswer<{ copyPaste: string }>> {
  const { txid, amount } = request;
  if (cob.amount !== amount) throw new Error(`the PSP has the txid ${txid} with another amount`);
  const told = cob.copyPaste !== null || cob.location !== null ? cob : await tellMore(client, txid);
  if (told === null) return { known: false, why: 'fault' };
  if (told.copyPaste !== null) return { known: true, value: { copyPaste: told.copyPaste } };
  if (told.location === null) return { known: false, why: 'fault' };
  const copyPaste = brCode({ location: told.location, amount: cents(amount), merchantName, merchantCity });
  return { known: true, value: { copyPaste } };
}

async function tellMore(client: PspClient, txid: string): Promise<ReadCob | null> {
  const found = await findCob(client, txid);
  return found.known ? found.value : null;
}

export async function findPix(client: PspClient, txid: string): Promise<AcquirerAnswer<PixCob | null>> {
  const found = await findCob(client, txid);
  if (!found.known || found.value === null) return found;
  const { status, payments } = found.value;
  return { known: true, value: { txid, status, payments } };
}

const REMOVE = { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' };

/** A charge that was paid, or was removed before, cannot be removed: whatever is not a removal is looked at. */
export async function removeCob(client: PspClient, txid: string): Promise<AcquirerAnswer<'expired' | 'alreadyPaid'>> {
  const exchange = await client.call({ method: 'PATCH', resource: 'cob', segments: [txid], body: REMOVE });
  if (exchange.kind === 'not_sent') return unknownBy(exchange);
  const removed = isSuccess(exchange) ? readCob(exchange.body, txid) : null;
  if (removed?.status === 'removed') return { known: true, value: 'expired' };
  const found = await findCob(client, txid);
  if (!found.known) return found;
  if (found.value === null || found.value.status === 'removed') return { known: true, value: 'expired' };
  if (found.value.status === 'concluded') return { known: true, value: 'alreadyPaid' };
  return { known: false, why: 'fault' };
}
