import { randomBytes } from 'node:crypto';
import { isoDate } from '../../../kernel/brazil.ts';
import { cents } from '../../../kernel/money.ts';
import { realTime } from '../../../kernel/time.ts';
import { decimal } from '../br-code.ts';
import { isAbsent, isRefusal, isSuccess, unknownBy } from '../http.ts';
import type { AcquirerAnswer, MandateFinding, MandatePeriod, MandateRequest } from '../port.ts';
import type { PspClient } from './client.ts';
import { profileOf } from './profiles.ts';
import { type ReadRec, readPlace, readRec } from './reading-mandates.ts';

const periods: Readonly<Record<MandatePeriod, string>> = {
  week: 'SEMANAL',
  month: 'MENSAL',
  quarter: 'TRIMESTRAL',
  half: 'SEMESTRAL',
  year: 'ANUAL',
};

/** Makes a location, which serves one mandate: a second one, after an answer that was lost, costs nothing. */
export async function placeMandate(client: PspClient): Promise<AcquirerAnswer<string>> {
  const exchange = await client.call({ method: 'POST', resource: 'locrec', segments: [], body: {} });
  const made = isSuccess(exchange) ? readPlace(exchange.body) : null;
  if (made !== null) return { known: true, value: made.place };
  return isRefusal(exchange) ? { known: false, why: 'refused' } : unknownBy(exchange);
}

/** The mandate that a location serves; null: it serves none. */
async function findByPlace(client: PspClient, place: string): Promise<AcquirerAnswer<string | null>> {
  const exchange = await client.call({ method: 'GET', resource: 'locrec', segments: [place] });
  if (isAbsent(exchange)) return { known: true, value: null };
  const found = isSuccess(exchange) ? readPlace(exchange.body) : null;
  return found === null ? unknownBy(exchange) : { known: true, value: found.bankRef };
}

/** The mandate as the PSP has it, with the code of the charge that belongs to it; null: it has none. */
async function findRec(
  client: PspClient,
  bankRef: string,
  txid: string | null = null,
): Promise<AcquirerAnswer<ReadRec | null>> {
  const query = txid === null ? {} : { txid };
  return client.find({ resource: 'rec', segments: [bankRef], query }, readRec);
}

async function findServed(client: PspClient, place: string): Promise<AcquirerAnswer<ReadRec | null>> {
  const served = await findByPlace(client, place);
  if (!served.known || served.value === null) return served as AcquirerAnswer<null>;
  return findRec(client, served.value);
}

/**
 * Makes a mandate, once for its location: the call has no id of ours, but a location serves one mandate and names it, so
 * whatever may be a repeat looks there first, and whatever was not answered with the mandate looks there afterwards.
 */
export async function createRec(
  client: PspClient,
  request: MandateRequest,
): Promise<AcquirerAnswer<{ bankRef: string; copyPaste: string }>> {
  if (request.isRepeat) {
    const found = await findServed(client, request.place);
    if (!found.known) return found;
    if (found.value !== null) return handOut(client, request, found.value.bankRef);
  }
  const exchange = await client.call({ method: 'POST', resource: 'rec', segments: [], body: recBody(client, request) });
  const made = isSuccess(exchange) ? readRec(exchange.body) : null;
  if (made !== null) return handOut(client, request, made.bankRef);
  if (exchange.kind === 'not_sent') return unknownBy(exchange);
  const found = await findServed(client, request.place);
  if (found.known && found.value !== null) return handOut(client, request, found.value.bankRef);
  if (found.known && isRefusal(exchange)) return { known: false, why: 'refused' };
  return unknownBy(exchange);
}

const CPF_DIGITS = 11;
const ID_RANDOM = 11;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Of the form that the document says: repeats allowed, the PSP's number, the day, and characters of our own. */
function newRecId(ispb: string): string {
  const random = [...randomBytes(ID_RANDOM)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
  return `RR${ispb}${isoDate(realTime()).replaceAll('-', '')}${random}`;
}

function recBody({ settings }: PspClient, request: MandateRequest): object {
  const { contract, title, debtor, startsOn, period, fixed, minimum, firstTxid, place } = request;
  const { mandateId } = profileOf(settings.profile);
  const document = debtor.document.length === CPF_DIGITS ? { cpf: debtor.document } : { cnpj: debtor.document };
  return {
    ...(mandateId === 'bank' ? {} : { idRec: newRecId(mandateId.ispb) }),
    vinculo: { contrato: contract, objeto: title, devedor: { ...document, nome: debtor.name } },
    calendario: { dataInicial: startsOn, periodicidade: periods[period] },
    valor: {
      ...(fixed === null ? {} : { valorRec: decimal(cents(fixed)) }),
      ...(minimum === null ? {} : { valorMinimoRecebedor: decimal(cents(minimum)) }),
    },
    politicaRetentativa: 'PERMITE_3R_7D',
    loc: Number(place),
    ...(firstTxid === null ? {} : { ativacao: { dadosJornada: { txid: firstTxid } } }),
  };
}

/** The code is told when the mandate is read, with the charge that is paid by it. */
async function handOut(
  client: PspClient,
  { firstTxid }: MandateRequest,
  bankRef: string,
): Promise<AcquirerAnswer<{ bankRef: string; copyPaste: string }>> {
  const found = await findRec(client, bankRef, firstTxid);
  if (!found.known) return found;
  const copyPaste = found.value?.copyPaste ?? null;
  return copyPaste === null ? { known: false, why: 'fault' } : { known: true, value: { bankRef, copyPaste } };
}

export async function findMandate(
  client: PspClient,
  { place, bankRef }: { place: string; bankRef: string | null },
): Promise<AcquirerAnswer<MandateFinding | null>> {
  const found = bankRef === null ? await findServed(client, place) : await findRec(client, bankRef);
  if (!found.known || found.value === null) return found as AcquirerAnswer<null>;
  const { copyPaste: _, ...finding } = found.value;
  return { known: true, value: finding };
}

/** A mandate that is over cannot be cancelled: whatever is not a cancellation is looked at. */
export async function cancelRec(
  client: PspClient,
  bankRef: string,
): Promise<AcquirerAnswer<'cancelled' | 'ended_already'>> {
  const body = { status: 'CANCELADA' };
  const exchange = await client.call({ method: 'PATCH', resource: 'rec', segments: [bankRef], body });
  if (exchange.kind === 'not_sent') return unknownBy(exchange);
  const changed = isSuccess(exchange) ? readRec(exchange.body) : null;
  if (changed?.status === 'cancelled') return { known: true, value: 'cancelled' };
  const found = await findRec(client, bankRef);
  if (!found.known) return found;
  const { status, endedBy } = found.value ?? { status: 'cancelled', endedBy: null };
  if (status === 'cancelled' && endedBy === 'merchant') return { known: true, value: 'cancelled' };
  const isOver = status !== 'created' && status !== 'approved';
  return isOver ? { known: true, value: 'ended_already' } : { known: false, why: 'fault' };
}
