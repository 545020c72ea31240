import type { AcquirerAnswer, Merchant, PixAcquirer, PspRefusal, ReceivedPix, ReceivedQuery } from '../port.ts';
import { createCob, findPix, removeCob } from './charges.ts';
import { PspClient } from './client.ts';
import { cancelDebit, findDebit, instruct, retryDebit } from './debits.ts';
import { cancelRec, createRec, findMandate, placeMandate } from './mandates.ts';
import { readCallback } from './reading-mandates.ts';
import { findReceived, holdsPayment } from './received.ts';
import { askReturn, findReturn, Refusals } from './returns.ts';
import type { ApiPixSettings } from './settings.ts';

/** An account's PSP, spoken to by the central bank's API Pix. */
export interface ApiPixAcquirer extends PixAcquirer {
  readonly client: PspClient;
  /** Whether a payment came in there. */
  holds(merchant: Merchant, endToEndId: string): Promise<AcquirerAnswer<boolean>>;
  findReceived(merchant: Merchant, query: ReceivedQuery): Promise<AcquirerAnswer<ReceivedPix>>;
  close(): Promise<void>;
}

/** Live money alone: the settings are those of one account. */
export function createApiPixAcquirer(
  accountId: string,
  settings: ApiPixSettings,
  onRefusal?: (refusal: PspRefusal) => void,
): ApiPixAcquirer {
  const client = new PspClient(settings, onRefusal);
  const refusals = new Refusals();
  const at = (merchant: Merchant): PspClient => {
    if (merchant.liveMode && merchant.accountId === accountId) return client;
    throw new Error(`the PSP of ${accountId} was asked for money that is not its live money`);
  };
  return {
    name: `api-pix ${settings.profile}`,
    // A devolução is known by its id for ever.
    repeatableForMs: Number.POSITIVE_INFINITY,
    client,
    offersMandates: settings.receiverAccount !== null,
    close: () => client.close(),
    createPix: async (merchant, request) => createCob(at(merchant), merchant, request),
    findPix: async (merchant, txid) => findPix(at(merchant), txid),
    expirePix: async (merchant, txid) => removeCob(at(merchant), txid),
    refundPix: async (merchant, request) => askReturn(at(merchant), merchant, { request, refusals }),
    findRefund: async (merchant, request) => findReturn(at(merchant), merchant, request),
    placeMandate: async (merchant) => placeMandate(at(merchant)),
    createMandate: async (merchant, request) => createRec(at(merchant), request),
    findMandate: async (merchant, of) => findMandate(at(merchant), of),
    cancelMandate: async (merchant, bankRef) => cancelRec(at(merchant), bankRef),
    instruct: async (merchant, request) => instruct(at(merchant), request),
    findDebit: async (merchant, txid) => findDebit(at(merchant), txid),
    cancelDebit: async (merchant, txid) => cancelDebit(at(merchant), txid),
    retryDebit: async (merchant, of) => retryDebit(at(merchant), of),
    receive: readCallback,
    holds: async (merchant, endToEndId) => holdsPayment(at(merchant), endToEndId),
    findReceived: async (merchant, query) => findReceived(at(merchant), query),
  };
}
