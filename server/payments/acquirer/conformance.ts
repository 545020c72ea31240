import assert from 'node:assert/strict';
import { newSuffix } from '../../kernel/ids.ts';
import { MINUTE, realTimeMs, SECOND_MS } from '../../kernel/time.ts';
import type {
  Acquirer,
  BankAnswer,
  CardDetails,
  CardRefundRequest,
  CardToken,
  ChargeRequest,
  Decline,
  Merchant,
  PixCob,
  PixPayment,
  PixRequest,
  RefundRequest,
  RefundStatus,
} from './port.ts';

/** An adapter under test with a quiet bank behind it: no trouble but what a case makes. */
export interface ConformanceSubject {
  readonly acquirer: Acquirer;
  readonly newMerchant: () => Promise<Merchant>;
  readonly approved: readonly { readonly card: CardDetails; readonly brand: CardToken['brand'] }[];
  readonly declined: readonly ({ readonly card: CardDetails } & Pick<Decline, 'reason' | 'isReversible'>)[];
  /** The buyer pays a QR code in full, and the bank has settled it. */
  readonly payQrCode: (merchant: Merchant, txid: string) => Promise<void>;
  /** The merchant once a return that was asked before has ended: real time or the account's clock has passed. */
  readonly afterReturn: (merchant: Merchant) => Promise<Merchant>;
}

export interface ConformanceCase {
  readonly name: string;
  run(subject: ConformanceSubject): Promise<void>;
}

const AMOUNT = 4_000;
const AT_ONCE = 20;
const CHARGE_MS = 20 * SECOND_MS;

const times = <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, work));

async function told<T>(answer: Promise<BankAnswer<T>>): Promise<T> {
  const known = await answer;
  assert.ok(known.known, 'a quiet bank answers');
  return known.value;
}

const pixRequest = (merchant: Merchant): PixRequest => ({
  txid: newSuffix(),
  amount: AMOUNT,
  expiresAt: merchant.now + 10 * MINUTE,
});

const findCob = ({ acquirer }: ConformanceSubject, merchant: Merchant, txid: string): Promise<PixCob | null> =>
  told(acquirer.findPix(merchant, txid));

async function paidQrCode(subject: ConformanceSubject, merchant: Merchant): Promise<PixPayment> {
  const request = pixRequest(merchant);
  await told(subject.acquirer.createPix(merchant, request));
  await subject.payQrCode(merchant, request.txid);
  const payments = (await findCob(subject, merchant, request.txid))?.payments ?? [];
  const [payment] = payments;
  assert.ok(payment !== undefined && payments.length === 1, 'one payment is one payment');
  return payment;
}

async function approvedCard({ acquirer, approved }: ConformanceSubject, merchant: Merchant): Promise<string> {
  const [first] = approved;
  assert.ok(first !== undefined, 'the subject has a card that is approved');
  return (await told(acquirer.tokenizeCard(merchant, first.card))).token;
}

const chargeOf = (token: string): ChargeRequest => ({
  reference: newSuffix(),
  token,
  amount: AMOUNT,
  installments: 1,
  deadlineMs: realTimeMs() + CHARGE_MS,
});

async function approvedCharge(subject: ConformanceSubject, merchant: Merchant): Promise<string> {
  const request = chargeOf(await approvedCard(subject, merchant));
  assert.deepEqual(await told(subject.acquirer.chargeCard(merchant, request)), { status: 'approved' });
  return request.reference;
}

const refundOf = (amount: number) => ({ reference: newSuffix(), amount, reason: 'requested_by_customer' }) as const;

const cardRefund = (charge: string, amount: number): CardRefundRequest => ({
  ...refundOf(amount),
  method: 'card',
  charge,
});

const ask = ({ acquirer }: ConformanceSubject, merchant: Merchant, request: RefundRequest): Promise<RefundStatus> =>
  told(request.method === 'pix' ? acquirer.refundPix(merchant, request) : acquirer.refundCard(merchant, request));

/** How refunds ended that were asked for, the answers to the requests aside. */
async function endsOf(subject: ConformanceSubject, merchant: Merchant, requests: RefundRequest[]): Promise<string[]> {
  const later = await subject.afterReturn(merchant);
  const found = await Promise.all(requests.map((request) => told(subject.acquirer.findRefund(later, request))));
  return found.map(({ status }) => status);
}

/** Asks for money back of one payment of `AMOUNT`, whatever its method. */
type AskBack = (amount: number) => RefundRequest;

async function returnsInParts(subject: ConformanceSubject, merchant: Merchant, askBack: AskBack): Promise<void> {
  assert.deepEqual(await endsOf(subject, merchant, [askBack(1)]), ['unknown_to_bank']);
  const parts = [1_500, 2_000, AMOUNT - 1_500 - 2_000, 1].map(askBack);
  for (const part of parts) await ask(subject, merchant, part);
  assert.deepEqual(await endsOf(subject, merchant, parts), ['completed', 'completed', 'completed', 'refused']);
}

/** A second return of the first half would leave too little for the other, and none would leave room for the cent. */
async function returnsOnce(subject: ConformanceSubject, merchant: Merchant, askBack: AskBack): Promise<void> {
  const [half, otherHalf, cent] = [askBack(AMOUNT / 2), askBack(AMOUNT / 2), askBack(1)];
  await times(AT_ONCE, () => ask(subject, merchant, half));
  for (const request of [otherHalf, cent]) await ask(subject, merchant, request);
  assert.deepEqual(await endsOf(subject, merchant, [half, otherHalf, cent]), ['completed', 'completed', 'refused']);
}

async function holdsToAmount(subject: ConformanceSubject, merchant: Merchant, askBack: AskBack): Promise<void> {
  const quarters = Array.from({ length: AT_ONCE }, () => askBack(AMOUNT / 4));
  await Promise.all(quarters.map((quarter) => ask(subject, merchant, quarter)));
  const ends = await endsOf(subject, merchant, quarters);
  assert.equal(ends.filter((status) => status === 'completed').length, 4);
  assert.equal(ends.filter((status) => status === 'refused').length, AT_ONCE - 4);
}

/** Every method returns money by the same rules. */
function refundCases(
  payment: string,
  pay: (subject: ConformanceSubject, merchant: Merchant) => Promise<AskBack>,
): ConformanceCase[] {
  const rules = [
    { how: 'in parts up to its amount, and refused beyond', holds: returnsInParts },
    { how: 'once for a reference, however often and concurrently it is asked for', holds: returnsOnce },
    { how: 'up to its amount, also in concurrent parts', holds: holdsToAmount },
  ];
  return rules.map(({ how, holds }) => ({
    name: `${payment} is returned ${how}`,
    async run(subject) {
      const merchant = await subject.newMerchant();
      await holds(subject, merchant, await pay(subject, merchant));
    },
  }));
}

const pixCases: readonly ConformanceCase[] = [
  {
    name: 'a QR code is made once for its txid, however often and concurrently it is asked for',
    async run(subject) {
      const merchant = await subject.newMerchant();
      const request = pixRequest(merchant);
      const { txid } = request;
      const answers = await times(AT_ONCE, () => told(subject.acquirer.createPix(merchant, request)));
      assert.equal(new Set(answers.map(({ copyPaste }) => copyPaste)).size, 1);
      assert.deepEqual(await findCob(subject, merchant, txid), { txid, status: 'active', payments: [] });
    },
  },
  {
    name: 'a txid that was never charged is found as nothing, and is as good as expired',
    async run(subject) {
      const merchant = await subject.newMerchant();
      const txid = newSuffix();
      assert.equal(await findCob(subject, merchant, txid), null);
      assert.equal(await told(subject.acquirer.expirePix(merchant, txid)), 'expired');
      assert.equal(await findCob(subject, merchant, txid), null);
    },
  },
  {
    name: 'an unpaid QR code is expired, any number of times',
    async run(subject) {
      const merchant = await subject.newMerchant();
      const request = pixRequest(merchant);
      const { txid } = request;
      await told(subject.acquirer.createPix(merchant, request));
      const expire = () => told(subject.acquirer.expirePix(merchant, txid));
      assert.deepEqual([await expire(), await expire()], ['expired', 'expired']);
      assert.deepEqual(await findCob(subject, merchant, txid), { txid, status: 'removed', payments: [] });
    },
  },
  {
    name: 'a paid QR code shows its payment, and is not expired any more',
    async run(subject) {
      const merchant = await subject.newMerchant();
      const { txid, amount, settled } = await paidQrCode(subject, merchant);
      assert.deepEqual({ amount, settled }, { amount: AMOUNT, settled: true });
      assert.equal(await told(subject.acquirer.expirePix(merchant, txid)), 'alreadyPaid');
      const cob = await findCob(subject, merchant, txid);
      assert.deepEqual([cob?.status, cob?.payments.length], ['concluded', 1]);
    },
  },
  ...refundCases('a PIX payment', async (subject, merchant) => {
    const { endToEndId } = await paidQrCode(subject, merchant);
    return (amount) => ({ ...refundOf(amount), method: 'pix', endToEndId });
  }),
];

/** No run of digits of a number that names an account at its issuer. */
const TELLING_DIGITS = 6;

const tells = (token: string, number: string): boolean =>
  Array.from({ length: number.length - TELLING_DIGITS + 1 }, (_, at) => number.slice(at, at + TELLING_DIGITS)).some(
    (digits) => token.includes(digits),
  );

const cardCases: readonly ConformanceCase[] = [
  {
    name: 'a card becomes a token that does not tell its number, with its brand and last digits',
    async run({ acquirer, newMerchant, approved }) {
      const merchant = await newMerchant();
      for (const { card, brand } of approved) {
        const { token, ...shown } = await told(acquirer.tokenizeCard(merchant, card));
        assert.deepEqual(shown, { brand, last4: card.number.slice(-4) });
        assert.ok(token !== '' && !tells(token, card.number));
      }
    },
  },
  {
    name: 'a charge is approved, and found so',
    async run({ acquirer, newMerchant, approved }) {
      const merchant = await newMerchant();
      for (const { card } of approved) {
        const { token } = await told(acquirer.tokenizeCard(merchant, card));
        const request = chargeOf(token);
        assert.deepEqual(await told(acquirer.findCharge(merchant, request.reference)), { status: 'not_found' });
        assert.deepEqual(await told(acquirer.chargeCard(merchant, request)), { status: 'approved' });
        assert.deepEqual(await told(acquirer.findCharge(merchant, request.reference)), { status: 'approved' });
      }
    },
  },
  {
    name: 'a charge is declined for its reason and with its class, and found so',
    async run({ acquirer, newMerchant, declined }) {
      const merchant = await newMerchant();
      for (const { card, reason, isReversible } of declined) {
        const { token } = await told(acquirer.tokenizeCard(merchant, card));
        const request = chargeOf(token);
        const outcome = await told(acquirer.chargeCard(merchant, request));
        assert.ok(outcome.status === 'declined' && outcome.code !== '');
        const { code } = outcome;
        assert.deepEqual(outcome, { status: 'declined', reason, isReversible, code });
        assert.deepEqual(await told(acquirer.findCharge(merchant, request.reference)), outcome);
        assert.deepEqual(await told(acquirer.chargeCard(merchant, request)), outcome);
      }
    },
  },
  {
    name: 'a reference is charged once, however often and concurrently it is asked for',
    async run(subject) {
      const merchant = await subject.newMerchant();
      const request = chargeOf(await approvedCard(subject, merchant));
      const outcomes = await times(AT_ONCE, () => told(subject.acquirer.chargeCard(merchant, request)));
      assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set(['approved']));
      await returnsOnce(subject, merchant, (amount) => cardRefund(request.reference, amount));
    },
  },
  {
    name: 'two references are two charges',
    async run(subject) {
      const merchant = await subject.newMerchant();
      const token = await approvedCard(subject, merchant);
      const requests = [chargeOf(token), chargeOf(token)];
      for (const request of requests) await told(subject.acquirer.chargeCard(merchant, request));
      const refunds = requests.map(({ reference }) => cardRefund(reference, AMOUNT));
      for (const refund of refunds) await ask(subject, merchant, refund);
      assert.deepEqual(await endsOf(subject, merchant, refunds), ['completed', 'completed']);
    },
  },
  {
    name: 'a request that comes after its deadline charges nothing and is never found',
    async run(subject) {
      const { acquirer } = subject;
      const merchant = await subject.newMerchant();
      const request = { ...chargeOf(await approvedCard(subject, merchant)), deadlineMs: realTimeMs() - 1 };
      const answers = await times(AT_ONCE, () => acquirer.chargeCard(merchant, request));
      assert.ok(answers.every(({ known }) => !known));
      assert.deepEqual(await told(acquirer.findCharge(merchant, request.reference)), { status: 'not_found' });
    },
  },
  {
    name: 'a charge belongs to its merchant alone',
    async run(subject) {
      const reference = await approvedCharge(subject, await subject.newMerchant());
      const other = await subject.newMerchant();
      assert.deepEqual(await told(subject.acquirer.findCharge(other, reference)), { status: 'not_found' });
      await assert.rejects(subject.acquirer.refundCard(other, cardRefund(reference, AMOUNT)));
    },
  },
  ...refundCases('a charge', async (subject, merchant) => {
    const reference = await approvedCharge(subject, merchant);
    return (amount) => cardRefund(reference, amount);
  }),
];

/** What the service relies on in every adapter, whatever framework runs it: a case that does not hold throws. */
export const conformanceCases: readonly ConformanceCase[] = [...pixCases, ...cardCases];
