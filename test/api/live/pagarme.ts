import { type FakePagarme, type PagarmeMerchant, startFakePagarme } from '../../../dev/fake-pagarme/pagarme.ts';
import { newId } from '../../../server/kernel/ids.ts';
import { realTime } from '../../../server/kernel/time.ts';
import type { CardSubject, TestCard } from '../../../server/payments/acquirer/conformance.ts';
import { createPagarmeAcquirer, type PagarmeAcquirer } from '../../../server/payments/acquirer/pagarme/adapter.ts';
import type { PagarmeSettings } from '../../../server/payments/acquirer/pagarme/settings.ts';
import type { CardAcquirer, CardRequest, Merchant } from '../../../server/payments/acquirer/port.ts';
import { cardOf, numberOf } from '../sandbox/sandbox-bank.ts';
import { isUnknown, withCalls } from './answers.ts';

/** Numbers whose issuers answer an ABECS code, one for each reason of a decline. */
export const issuerCodes = {
  '4000000000000002': '05',
  '4000000000009995': '51',
  '4000000000000127': '14',
  '4000000000009979': '59',
  '4000000000000119': '91',
  '4000000000000069': '54',
} as const;

/** Settings with which an account reaches a merchant of the fake. */
export const settingsFor = (
  { baseUrl, jwksUrl }: FakePagarme,
  { secretKey, publicKey }: PagarmeMerchant,
  overrides: Partial<PagarmeSettings> = {},
): PagarmeSettings => ({
  profile: 'pagarme',
  secretKey,
  publicKey,
  softDescriptor: 'LOJA',
  baseUrl,
  jwksUrl,
  takeCardNumbers: true,
  chargesPerSecond: 20,
  ...overrides,
});

/** A token as a buyer's browser gets it. */
export async function browserToken(
  { baseUrl }: FakePagarme,
  { publicKey }: PagarmeMerchant,
  number: string,
): Promise<string> {
  const { expMonth: exp_month, expYear: exp_year, cvc: cvv } = numberOf(number);
  const card = { number, exp_month, exp_year, cvv, holder_name: 'MARIA DA SILVA' };
  const answer = await fetch(`${baseUrl}/tokens?appId=${publicKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'card', card }),
  });
  if (!answer.ok) throw new Error(`no token: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
}

/** Merchants of a fake Pagar.me, each with an adapter of its own, as each account has one. */
export async function openFakePagarme(by: 'token' | 'number') {
  const fake = await startFakePagarme({ issuerCodes, seed: 7 });
  const adapters = new Map<string, PagarmeAcquirer>();
  const merchants = new Map<string, PagarmeMerchant>();
  const of = ({ accountId }: Merchant): PagarmeAcquirer => {
    const adapter = adapters.get(accountId);
    if (adapter === undefined) throw new Error(`${accountId} has no acquirer`);
    return adapter;
  };
  const merchantOf = ({ accountId }: Merchant): PagarmeMerchant => {
    const merchant = merchants.get(accountId);
    if (merchant === undefined) throw new Error(`${accountId} is no merchant`);
    return merchant;
  };
  const acquirer: CardAcquirer = {
    name: 'the adapter of each merchant',
    repeatableForMs: 1,
    absence: { proof: 'quiet', seconds: 300 },
    cardEntry: { kind: 'own' },
    tokenizeCard: (merchant, request) => of(merchant).tokenizeCard(merchant, request),
    verifyCard: (merchant, request) => of(merchant).verifyCard(merchant, request),
    findCard: (merchant, request) => of(merchant).findCard(merchant, request),
    forgetCard: (merchant, request) => of(merchant).forgetCard(merchant, request),
    chargeCard: (merchant, request) => of(merchant).chargeCard(merchant, request),
    findCharge: (merchant, reference) => of(merchant).findCharge(merchant, reference),
    refundCard: (merchant, request) => of(merchant).refundCard(merchant, request),
    findRefund: (merchant, request) => of(merchant).findRefund(merchant, request),
    findChargebacks: (merchant, reference) => of(merchant).findChargebacks(merchant, reference),
  };
  const requestOf = async (merchant: Merchant, number: string): Promise<CardRequest> => {
    const request = cardOf(number);
    if (by === 'number') return request;
    return { ...request, card: { browserToken: await browserToken(fake, merchantOf(merchant), number) } };
  };
  const testCard = (number: string): TestCard => ({ number, request: (merchant) => requestOf(merchant, number) });
  const declined = (
    number: keyof typeof issuerCodes,
    reason: CardSubject['declined'][number]['reason'],
    isReversible: boolean,
  ) => ({
    card: testCard(number),
    reason,
    isReversible,
    isVerified: reason === 'insufficient_funds',
  });
  const subject: CardSubject = {
    acquirer,
    approved: [
      { card: testCard('4000000000000010'), brand: 'visa' },
      { card: testCard('5555555555554444'), brand: 'mastercard' },
      { card: testCard('378282246310005'), brand: 'amex' },
      { card: testCard('5067766783888311'), brand: 'elo' },
      { card: testCard('6062825624254001'), brand: 'hipercard' },
    ],
    declined: [
      declined('4000000000000002', 'issuer_declined', true),
      declined('4000000000009995', 'insufficient_funds', true),
      declined('4000000000000127', 'invalid_card_data', false),
      declined('4000000000009979', 'suspected_fraud', true),
      declined('4000000000000119', 'processing_error', true),
      declined('4000000000000069', 'expired_card', false),
    ],
    newMerchant: async () => {
      const accountId = newId('acct');
      const merchant = fake.newMerchant();
      merchants.set(accountId, merchant);
      adapters.set(accountId, createPagarmeAcquirer(accountId, settingsFor(fake, merchant)));
      return { accountId, liveMode: true, name: 'Loja do Teste', city: 'SAO PAULO', now: realTime() };
    },
    afterReturn: async (merchant) => {
      const own = merchantOf(merchant);
      for (const charge of own.charges.values())
        for (const { id, status } of charge.transactions)
          if (status === 'pending_refund') fake.settleRefund(own, id, true);
      return merchant;
    },
  };
  return {
    fake,
    subject,
    merchantOf,
    adapterOf: of,
    requestOf,
    async close() {
      await Promise.all([...adapters.values()].map((adapter) => adapter.close()));
      await fake.close();
    },
  };
}

export type OpenPagarme = Awaited<ReturnType<typeof openFakePagarme>>;

/** So often a call is made of which nobody tells what became of it; what is refused by its deadline stays unknown. */
const TRIES_MAX = 60;

/** An acquirer that is asked again, under the same reference, until it tells what became of a call. */
export const patiently = (acquirer: CardAcquirer): CardAcquirer =>
  withCalls(acquirer, async (call) => {
    for (let tries = 1; ; tries += 1) {
      const answer = await call();
      if (!isUnknown(answer) || tries === TRIES_MAX) return answer;
    }
  });
