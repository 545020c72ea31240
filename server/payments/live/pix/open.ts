import { type ApiPixAcquirer, createApiPixAcquirer } from '../../acquirer/api-pix/adapter.ts';
import type { ApiPixSettings } from '../../acquirer/api-pix/settings.ts';
import type { AcquirerAnswer, MandateAcquirer, Merchant, PixRefundRequest, RefundStatus } from '../../acquirer/port.ts';
import type { LiveAdapter, RefusedCall } from '../method.ts';

/** The PSP of an account, and behind it those that it had before. */
export function openApiPix(
  accountId: string,
  { settings, former }: { settings: ApiPixSettings; former: readonly ApiPixSettings[] },
  onRefusal: (refused: RefusedCall) => void,
): LiveAdapter<'pix'> {
  const open = (one: ApiPixSettings): ApiPixAcquirer =>
    createApiPixAcquirer(accountId, one, (refusal) => onRefusal({ profile: one.profile, ...refusal }));
  const present = open(settings);
  return former.length === 0 ? present : withFormer(present, former.map(open));
}

/** The one that holds a payment; the present one where none says that it does. */
async function holderOf(
  acquirers: readonly ApiPixAcquirer[],
  present: ApiPixAcquirer,
  { merchant, request: { endToEndId } }: { merchant: Merchant; request: PixRefundRequest },
): Promise<AcquirerAnswer<ApiPixAcquirer>> {
  for (const acquirer of acquirers) {
    const held = await acquirer.holds(merchant, endToEndId);
    if (!held.known) return held;
    if (held.value) return { known: true, value: acquirer };
  }
  return { known: true, value: present };
}

/**
 * The acquirer of an account that had others before: new money goes by the present one, and what the former ones still
 * hold is found, ended and returned there (docs/product/live-pix.md#changing-the-psp).
 */
function withFormer(present: ApiPixAcquirer, former: readonly ApiPixAcquirer[]): LiveAdapter<'pix'> {
  const all = [present, ...former] as const;
  const whereHeld = async (
    merchant: Merchant,
    request: PixRefundRequest,
    ask: (acquirer: ApiPixAcquirer) => Promise<AcquirerAnswer<RefundStatus>>,
  ): Promise<AcquirerAnswer<RefundStatus>> => {
    const holder = await holderOf(all, present, { merchant, request });
    return holder.known ? ask(holder.value) : holder;
  };
  return {
    ...present,
    ...mandatesWithFormer(present, all),
    close: async () => void (await Promise.all(all.map((acquirer) => acquirer.close()))),
    findPix: async (merchant, txid) => {
      for (const acquirer of all) {
        const found = await acquirer.findPix(merchant, txid);
        if (!found.known || found.value !== null) return found;
      }
      return { known: true, value: null };
    },
    expirePix: async (merchant, txid) => {
      for (const acquirer of all) {
        const found = await acquirer.findPix(merchant, txid);
        if (!found.known) return found;
        if (found.value !== null) return acquirer.expirePix(merchant, txid);
      }
      return { known: true, value: 'expired' };
    },
    refundPix: (merchant, request) => whereHeld(merchant, request, (acquirer) => acquirer.refundPix(merchant, request)),
    findRefund: (merchant, request) =>
      whereHeld(merchant, request, (acquirer) => acquirer.findRefund(merchant, request)),
    findReceived: async (merchant, query) => {
      const now = await present.findReceived(merchant, query);
      if (!now.known) return now;
      const payments = [...now.value.payments];
      for (const acquirer of former) {
        // One that does not answer any more must not keep the present one from being swept.
        const before = await acquirer.findReceived(merchant, query);
        if (before.known) payments.push(...before.value.payments);
      }
      return { known: true, value: { isWhole: now.value.isWhole, payments } };
    },
  };
}

/**
 * Mandates that a former acquirer has made are found, debited and ended there, as long as it answers; a place is a number of
 * the one that gave it, and the present one is asked for what was not made yet.
 */
function mandatesWithFormer(
  present: ApiPixAcquirer,
  all: readonly ApiPixAcquirer[],
): Pick<MandateAcquirer, 'findMandate' | 'cancelMandate' | 'instruct' | 'findDebit' | 'cancelDebit' | 'retryDebit'> {
  type Found = Promise<AcquirerAnswer<ApiPixAcquirer>>;
  const firstThat = async (holds: (acquirer: ApiPixAcquirer) => Promise<AcquirerAnswer<unknown>>): Found => {
    for (const acquirer of all) {
      const found = await holds(acquirer);
      if (!found.known) return found;
      if (found.value !== null) return { known: true, value: acquirer };
    }
    return { known: true, value: present };
  };
  const ofMandate = (merchant: Merchant, bankRef: string): Found =>
    firstThat((acquirer) => acquirer.findMandate(merchant, { place: '', bankRef }));
  const ofDebit = (merchant: Merchant, txid: string): Found =>
    firstThat((acquirer) => acquirer.findDebit(merchant, txid));
  const at = async <T>(
    holder: Found,
    ask: (acquirer: ApiPixAcquirer) => Promise<AcquirerAnswer<T>>,
  ): Promise<AcquirerAnswer<T>> => {
    const found = await holder;
    return found.known ? ask(found.value) : found;
  };
  return {
    findMandate: (merchant, of) =>
      of.bankRef === null
        ? present.findMandate(merchant, of)
        : at(ofMandate(merchant, of.bankRef), (acquirer) => acquirer.findMandate(merchant, of)),
    cancelMandate: (merchant, bankRef) =>
      at(ofMandate(merchant, bankRef), (acquirer) => acquirer.cancelMandate(merchant, bankRef)),
    instruct: (merchant, request) =>
      at(ofMandate(merchant, request.bankRef), (acquirer) => acquirer.instruct(merchant, request)),
    findDebit: (merchant, txid) => at(ofDebit(merchant, txid), (acquirer) => acquirer.findDebit(merchant, txid)),
    cancelDebit: (merchant, txid) => at(ofDebit(merchant, txid), (acquirer) => acquirer.cancelDebit(merchant, txid)),
    retryDebit: (merchant, of) => at(ofDebit(merchant, of.txid), (acquirer) => acquirer.retryDebit(merchant, of)),
  };
}
