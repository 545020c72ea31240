import { DAY, SECOND_MS, type Timestamp } from '../../../kernel/time.ts';
import type { AcquirerAnswer, CardAcquirer, Chargeback, Merchant, PspRefusal } from '../port.ts';
import { deleteCardThere, readCardThere, storeCard } from './cards.ts';
import { chargeCard, findOrderedCharge } from './charges.ts';
import { PagarmeClient, tokensUrl } from './client.ts';
import { partsOf, readHook } from './reading.ts';
import { findChargebacks, findChargedBack, findRefund, refundCard } from './refunds.ts';
import type { PagarmeSettings } from './settings.ts';

/** An idempotency key is kept for a day; the last hour of it is not relied on. */
const REPEATABLE_MS = (DAY - 3_600) * SECOND_MS;

/** For so long after its deadline a charge may not show up in lists yet. */
const QUIET_SECONDS = 300;

/** An account's merchant at Pagar.me, spoken to by its core API, version 5. */
export interface PagarmeAcquirer extends CardAcquirer {
  readonly client: PagarmeClient;
  findChargebacks(merchant: Merchant, reference: string): Promise<AcquirerAnswer<readonly Chargeback[]>>;
  findChargedBack(merchant: Merchant, since: Timestamp): Promise<AcquirerAnswer<readonly string[]>>;
  close(): Promise<void>;
}

/** Live money alone: the settings are those of one account. */
export function createPagarmeAcquirer(
  accountId: string,
  settings: PagarmeSettings,
  onRefusal?: (refusal: PspRefusal) => void,
): PagarmeAcquirer {
  const client = new PagarmeClient(settings, onRefusal);
  const at = (merchant: Merchant): PagarmeClient => {
    if (merchant.liveMode && merchant.accountId === accountId) return client;
    throw new Error(`Pagar.me of ${accountId} was asked for money that is not its live money`);
  };
  return {
    name: 'pagarme',
    repeatableForMs: REPEATABLE_MS,
    absence: { proof: 'quiet', seconds: QUIET_SECONDS },
    cardEntry: {
      kind: 'direct',
      url: tokensUrl(settings),
      publicKey: settings.publicKey,
      shape: 'pagarme-v5',
      takesNumbers: settings.takeCardNumbers,
    },
    client,
    close: () => client.close(),
    tokenizeCard: async (merchant, request) => storeCard(at(merchant), request, { verifies: false }),
    verifyCard: async (merchant, request) => storeCard(at(merchant), request, { verifies: true }),
    findCard: async (merchant, { token }) => readCardThere(at(merchant), partsOf(token)),
    forgetCard: async (merchant, { token }) => deleteCardThere(at(merchant), partsOf(token)),
    chargeCard: async (merchant, request) => chargeCard(at(merchant), merchant, request),
    findCharge: async (merchant, reference) => findOrderedCharge(at(merchant), reference),
    refundCard: async (merchant, request) => refundCard(at(merchant), merchant, request),
    findRefund: async (merchant, request) => findRefund(at(merchant), merchant, request),
    findChargebacks: async (merchant, reference) => findChargebacks(at(merchant), reference),
    findChargedBack: async (merchant, since) => findChargedBack(at(merchant), since),
    receive(notice) {
      const hook = readHook(notice);
      if (hook === null) return null;
      if (hook.about === 'charge') return { charges: [hook.reference] };
      return hook.about === 'card' ? { cards: [hook.token] } : {};
    },
  };
}
