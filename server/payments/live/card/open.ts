import { createPagarmeAcquirer, type PagarmeAcquirer } from '../../acquirer/pagarme/adapter.ts';
import type { PagarmeSettings } from '../../acquirer/pagarme/settings.ts';
import type { AcquirerAnswer, Merchant } from '../../acquirer/port.ts';
import type { LiveAdapter, RefusedCall } from '../method.ts';

/** Pagar.me of an account, and behind it the merchants there that it had before. */
export function openPagarme(
  accountId: string,
  { settings, former }: { settings: PagarmeSettings; former: readonly PagarmeSettings[] },
  onRefusal: (refused: RefusedCall) => void,
): LiveAdapter<'card'> {
  const open = (one: PagarmeSettings): PagarmeAcquirer =>
    createPagarmeAcquirer(accountId, one, (refusal) => onRefusal({ profile: one.profile, ...refusal }));
  const present = open(settings);
  return former.length === 0 ? present : withFormer(present, former.map(open));
}

/**
 * New money goes by the present one; what the former ones charged is found and returned there. A card that is stored at
 * a former one is charged no more: its buyer gives it anew.
 */
function withFormer(present: PagarmeAcquirer, former: readonly PagarmeAcquirer[]): LiveAdapter<'card'> {
  const all = [present, ...former];
  const holderOf = async (merchant: Merchant, reference: string): Promise<AcquirerAnswer<PagarmeAcquirer>> => {
    for (const acquirer of all) {
      const found = await acquirer.findCharge(merchant, reference);
      if (!found.known) return found;
      if (found.value.status !== 'not_found') return { known: true, value: acquirer };
    }
    return { known: true, value: present };
  };
  const whereHeld = async <T>(
    merchant: Merchant,
    reference: string,
    ask: (acquirer: PagarmeAcquirer) => Promise<AcquirerAnswer<T>>,
  ): Promise<AcquirerAnswer<T>> => {
    const holder = await holderOf(merchant, reference);
    return holder.known ? ask(holder.value) : holder;
  };
  return {
    ...present,
    close: async () => void (await Promise.all(all.map((acquirer) => acquirer.close()))),
    findCharge: (merchant, reference) =>
      whereHeld(merchant, reference, (acquirer) => acquirer.findCharge(merchant, reference)),
    findChargebacks: (merchant, reference) =>
      whereHeld(merchant, reference, (acquirer) => acquirer.findChargebacks(merchant, reference)),
    findChargedBack: async (merchant, since) => {
      const now = await present.findChargedBack(merchant, since);
      if (!now.known) return now;
      const before = await Promise.all(former.map((acquirer) => acquirer.findChargedBack(merchant, since)));
      // One that does not answer any more must not keep the present one from being swept.
      return { known: true, value: [...now.value, ...before.flatMap((one) => (one.known ? one.value : []))] };
    },
    refundCard: (merchant, request) =>
      whereHeld(merchant, request.charge, (acquirer) => acquirer.refundCard(merchant, request)),
    findRefund: (merchant, request) =>
      whereHeld(merchant, request.charge, (acquirer) => acquirer.findRefund(merchant, request)),
  };
}
