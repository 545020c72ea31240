import type { PixScenario } from '../../../contract/sandbox.ts';
import { COLLECTION_DEFAULTS } from '../../../server/accounts/entity.ts';
import { openDatabase } from '../../../server/db/database.ts';
import { civilDay } from '../../../server/kernel/brazil.ts';
import { newId, newSuffix } from '../../../server/kernel/ids.ts';
import { HOUR, REAL_CLOCK, realTime, realTimeMs, systemClock } from '../../../server/kernel/time.ts';
import { untraced } from '../../../server/kernel/tracing.ts';
import { createMetrics } from '../../../server/metrics.ts';
import {
  type CardSubject,
  type DebitOutcome,
  type TestCard,
  takenCard,
} from '../../../server/payments/acquirer/conformance.ts';
import type {
  AcquirerAnswer,
  CardNumber,
  CardRefundRequest,
  CardRequest,
  ChargeRequest,
  Merchant,
  PixRefundRequest,
} from '../../../server/payments/acquirer/port.ts';
import { createSandboxAcquirer } from '../../../server/payments/acquirer/sandbox/adapter.ts';
import { payAtBank } from '../../../server/payments/acquirer/sandbox/buyer.ts';
import { decideDebit } from '../../../server/payments/acquirer/sandbox/debits.ts';
import { approveAtBank, endAtBank, rejectAtBank } from '../../../server/payments/acquirer/sandbox/mandates.ts';
import { brandOfCard } from '../../../server/payments/card/number.ts';
import { createLinks } from '../../../server/sealing/links.ts';
import { createTransaction } from '../../../server/unit-of-work/transaction.ts';
import { createWatermark } from '../../../server/unit-of-work/watermark.ts';
import { createDatabase } from '../../support/database.ts';
import { newSecretBox } from '../../support/secret-box.ts';

const TERMS = {
  name: 'Loja do Teste',
  city: 'SAO PAULO',
  pixValiditySeconds: 86_400,
  penaltyOnUnpaid: false,
  portalCancel: 'period_end' as const,
  lateFees: null,
  ...COLLECTION_DEFAULTS,
};

export const APPROVED = '4242424242424242';

export const numberOf = (number: string): CardNumber => ({
  number,
  brand: brandOfCard(number) ?? 'visa',
  expMonth: 12,
  expYear: 2030,
  cvc: number.length === 15 ? '1234' : '123',
});

export const buyerOf = (id: string): CardRequest['buyer'] => ({
  id,
  name: 'Maria da Silva',
  email: 'maria@example.com',
  document: '52998224725',
  phone: '+5511987654321',
  address: null,
});

export const cardOf = (number: string): CardRequest & { card: CardNumber } => ({
  card: numberOf(number),
  buyer: buyerOf(newId('cus')),
  holderName: 'MARIA DA SILVA',
  holderDocument: '52998224725',
  address: null,
});

const testCard = (number: string): TestCard => ({ number, request: async () => cardOf(number) });

/** What the conformance suite asks of cards, at the bank of the sandbox. */
export const conformanceCards: Pick<CardSubject, 'approved' | 'declined'> = {
  approved: [
    { card: testCard('4242424242424242'), brand: 'visa' },
    { card: testCard('5555555555554444'), brand: 'mastercard' },
    { card: testCard('378282246310005'), brand: 'amex' },
    { card: testCard('5067766783888311'), brand: 'elo' },
    { card: testCard('6062825624254001'), brand: 'hipercard' },
  ],
  declined: [
    { card: testCard('4000000000000002'), reason: 'issuer_declined', isReversible: true, isVerified: false },
    { card: testCard('4000000000009995'), reason: 'insufficient_funds', isReversible: true, isVerified: true },
    { card: testCard('4000000000000069'), reason: 'expired_card', isReversible: false, isVerified: false },
    { card: testCard('4000000000000127'), reason: 'invalid_card_data', isReversible: false, isVerified: false },
    { card: testCard('4000000000009979'), reason: 'suspected_fraud', isReversible: true, isVerified: false },
    { card: testCard('4000000000000119'), reason: 'processing_error', isReversible: true, isVerified: false },
  ],
};

export const newMerchant = (): Merchant => ({
  accountId: newId('acct'),
  liveMode: false,
  name: 'Loja do Teste',
  city: 'SAO PAULO',
  now: realTime(),
});

export const chargeOf = (token: string, overrides: Partial<ChargeRequest> = {}): ChargeRequest => ({
  reference: newId('ca'),
  orderId: newId('in'),
  initiator: 'customer',
  token,
  cvc: null,
  amount: 9_990,
  installments: 1,
  series: null,
  deadlineMs: realTimeMs() + 20_000,
  ...overrides,
});

export const refundOf = (charge: string, overrides: Partial<CardRefundRequest> = {}): CardRefundRequest => ({
  method: 'card',
  reference: newSuffix(),
  charge,
  amount: 1_000,
  reason: 'requested_by_customer',
  ...overrides,
});

export const returnOf = (endToEndId: string, overrides: Partial<PixRefundRequest> = {}): PixRefundRequest => ({
  method: 'pix',
  reference: newSuffix(),
  endToEndId,
  askedAt: realTime(),
  amount: 1_000,
  reason: 'requested_by_customer',
  ...overrides,
});

/** What a bank that answered said. */
export async function told<T>(answer: Promise<AcquirerAnswer<T>>): Promise<T> {
  const known = await answer;
  if (!known.known) throw new Error(`the bank did not answer: ${known.why}`);
  return known.value;
}

/** The sandbox bank with nothing of the service around it, on a database of its own. */
export async function openSandboxBank() {
  const own = await createDatabase();
  const { pool, close } = await openDatabase(own.url, { entities: [] });
  const acquirer = createSandboxAcquirer(pool);
  const transaction = createTransaction({
    watermark: createWatermark(pool, { process: 'test' }),
    secretBox: newSecretBox(),
    links: createLinks({ secretBox: newSecretBox(), publicUrl: 'https://fatura.test' }),
    pool,
    clock: systemClock,
    reactions: new Map(),
    readScope: async (of) => ({ ...of, account: TERMS }),
    wake: () => {},
    business: createMetrics().business,
    tracing: untraced,
  });
  return {
    pool,
    acquirer,
    tokenOf: async (merchant: Merchant, number: string) =>
      (await takenCard(acquirer.tokenizeCard(merchant, cardOf(number)))).token,
    /** A QR code of so much; answers its txid. */
    async newQrCode(merchant: Merchant, amount = 9_990) {
      const txid = newSuffix();
      await told(acquirer.createPix(merchant, { txid, amount, expiresAt: merchant.now + 3_600, isRepeat: false }));
      return txid;
    },
    buyerPays: (merchant: Merchant, txid: string, scenario: PixScenario = 'paid') =>
      transaction({ ...merchant, account: TERMS, clock: REAL_CLOCK }, (tx) => payAtBank(tx, { txid, scenario })),
    /** Days, buyers, and what their bank does with mandates and debits. */
    mandates: {
      at: async (merchant: Merchant, day: string, hour: number) => ({
        ...merchant,
        now: civilDay(day).from + hour * HOUR,
      }),
      approve: (merchant: Merchant, bankRef: string) =>
        transaction({ ...merchant, account: TERMS, clock: REAL_CLOCK }, async (tx) => {
          await approveAtBank(tx, bankRef);
        }),
      reject: (merchant: Merchant, bankRef: string) =>
        transaction({ ...merchant, account: TERMS, clock: REAL_CLOCK }, (tx) => rejectAtBank(tx, bankRef)),
      endAtBank: (merchant: Merchant, bankRef: string, by: 'payer' | 'payer_bank') =>
        transaction({ ...merchant, account: TERMS, clock: { ...REAL_CLOCK, heldAt: merchant.now } }, (tx) =>
          endAtBank(tx, { bankRef, by }),
        ),
      decide: async ({ accountId }: Merchant, txid: string, outcome: DebitOutcome) => {
        const refusal = outcome === 'paid' ? null : outcome.code;
        if (!(await decideDebit(pool, { accountId, txid, refusal }))) throw new Error(`no try of ${txid} is to come`);
      },
    },
    async close() {
      await close();
      await own.drop();
    },
  };
}

export type SandboxBank = Awaited<ReturnType<typeof openSandboxBank>>;
