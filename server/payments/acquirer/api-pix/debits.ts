import { cents } from '../../../kernel/money.ts';
import { decimal } from '../br-code.ts';
import { isRefusal, isSuccess, unknownBy } from '../http.ts';
import type { AcquirerAnswer, CivilDay, DebitFinding, DebitRequest } from '../port.ts';
import type { PspClient } from './client.ts';
import { readCobr } from './reading-mandates.ts';

/** The debit as the PSP has it; null: it has none. */
export async function findDebit(client: PspClient, txid: string): Promise<AcquirerAnswer<DebitFinding | null>> {
  return client.find({ resource: 'cobr', segments: [txid] }, (body) => readCobr(body, txid));
}

/** Instructs a debit, once for its txid: whatever was not answered with the debit is looked at. */
export async function instruct(client: PspClient, request: DebitRequest): Promise<AcquirerAnswer<DebitFinding>> {
  const { txid } = request;
  if (request.isRepeat) {
    const found = await findDebit(client, txid);
    if (!found.known || found.value !== null) return found as AcquirerAnswer<DebitFinding>;
  }
  const body = debitBody(client, request);
  const exchange = await client.call({ method: 'PUT', resource: 'cobr', segments: [txid], body });
  const made = isSuccess(exchange) ? readCobr(exchange.body, txid) : null;
  if (made !== null) return { known: true, value: made };
  if (exchange.kind === 'not_sent') return unknownBy(exchange);
  const found = await findDebit(client, txid);
  if (found.known && found.value !== null) return { known: true, value: found.value };
  return found.known && isRefusal(exchange) ? { known: false, why: 'refused' } : unknownBy(exchange);
}

function debitBody({ settings }: PspClient, { bankRef, amount, dueOn, note }: DebitRequest): object {
  const { receiverAccount: account, receiverType: type, receiverBranch: branch } = settings;
  if (account === null || type === null) throw new Error('no account is set that debits are paid into');
  return {
    idRec: bankRef,
    infoAdicional: note,
    calendario: { dataDeVencimento: dueOn },
    valor: { original: decimal(cents(amount)) },
    // PIX settles every day.
    ajusteDiaUtil: false,
    recebedor: { conta: account, tipoConta: type.toUpperCase(), ...(branch === null ? {} : { agencia: branch }) },
  };
}

type Cancelled = 'cancelled' | 'too_late' | 'paid' | 'ended';

const outcomes: Readonly<Partial<Record<DebitFinding['status'], Cancelled>>> = {
  cancelled: 'cancelled',
  paid: 'paid',
  refused: 'ended',
  expired: 'ended',
};

/** The PSP keeps the hour until which it takes a debit back: what it refuses of one that stands is too late. */
export async function cancelDebit(client: PspClient, txid: string): Promise<AcquirerAnswer<Cancelled>> {
  const body = { status: 'CANCELADA' };
  const exchange = await client.call({ method: 'PATCH', resource: 'cobr', segments: [txid], body });
  if (exchange.kind === 'not_sent') return unknownBy(exchange);
  const changed = isSuccess(exchange) ? readCobr(exchange.body, txid) : null;
  if (changed?.status === 'cancelled') return { known: true, value: 'cancelled' };
  const found = await findDebit(client, txid);
  if (!found.known) return found;
  const outcome = found.value === null ? 'cancelled' : outcomes[found.value.status];
  if (outcome !== undefined) return { known: true, value: outcome };
  return isRefusal(exchange) ? { known: true, value: 'too_late' } : { known: false, why: 'fault' };
}

/** Asks for another day, once: a try of that day is one that was asked for before. */
export async function retryDebit(
  client: PspClient,
  { txid, date }: { txid: string; date: CivilDay },
): Promise<AcquirerAnswer<'asked' | 'refused'>> {
  const segments = [txid, 'retentativa', date];
  const exchange = await client.call({ method: 'POST', resource: 'cobr', segments });
  if (isSuccess(exchange) && readCobr(exchange.body, txid) !== null) return { known: true, value: 'asked' };
  if (exchange.kind === 'not_sent') return unknownBy(exchange);
  const found = await findDebit(client, txid);
  if (!found.known) return found;
  if (found.value?.tries.some((each) => each.date === date) === true) return { known: true, value: 'asked' };
  return isRefusal(exchange) ? { known: true, value: 'refused' } : unknownBy(exchange);
}
