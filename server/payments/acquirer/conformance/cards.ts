import assert from 'node:assert/strict';
import { newId } from '../../../kernel/ids.ts';
import { realTimeMs, SECOND_MS } from '../../../kernel/time.ts';
import type { AcquirerAnswer, CardRefundRequest, ChargeFinding, Merchant } from '../port.ts';
import { type Asking, endsOf, refundCases, refundOf, returnsOnce } from './refunds.ts';
import {
  AMOUNT,
  AT_ONCE,
  type CardSubject,
  type ConformanceCase,
  chargeOf,
  EXPIRY,
  knownValue,
  takenCard,
  times,
  tokenOf,
} from './subject.ts';

async function approvedCard(subject: CardSubject, merchant: Merchant): Promise<string> {
  const [first] = subject.approved;
  assert.ok(first !== undefined, 'the subject has a card that is approved');
  return tokenOf(subject, merchant, first.card);
}

async function isApproved(answer: Promise<AcquirerAnswer<ChargeFinding>>): Promise<void> {
  assert.equal((await knownValue(answer)).status, 'approved');
}

async function approvedCharge(subject: CardSubject, merchant: Merchant): Promise<string> {
  const request = chargeOf(await approvedCard(subject, merchant));
  await isApproved(subject.acquirer.chargeCard(merchant, request));
  return request.reference;
}

const cardRefund = (charge: string, amount: number): CardRefundRequest => ({
  ...refundOf(amount),
  method: 'card',
  charge,
});

function asking({ acquirer }: CardSubject, charge: string, amount: number): Asking {
  const request = cardRefund(charge, amount);
  return {
    ask: (merchant) => acquirer.refundCard(merchant, request),
    find: (merchant) => acquirer.findRefund(merchant, request),
  };
}

/** No run of digits of a number that names an account at its issuer. */
const TELLING_DIGITS = 6;

const tells = (token: string, number: string): boolean =>
  Array.from({ length: number.length - TELLING_DIGITS + 1 }, (_, at) => number.slice(at, at + TELLING_DIGITS)).some(
    (digits) => token.includes(digits),
  );

export const chargeCases: readonly ConformanceCase<CardSubject>[] = [
  {
    name: 'a card becomes a token that does not tell its number, with its brand and last digits',
    async run({ acquirer, newMerchant, approved }) {
      const merchant = await newMerchant();
      for (const { card, brand } of approved) {
        const { token, ...shown } = await takenCard(acquirer.tokenizeCard(merchant, await card.request(merchant)));
        assert.deepEqual(shown, { brand, last4: card.number.slice(-4), expMonth: EXPIRY.month, expYear: EXPIRY.year });
        assert.ok(token !== '' && !tells(token, card.number));
      }
    },
  },
  {
    name: 'a charge is approved, and found so',
    async run(subject) {
      const { acquirer, newMerchant, approved } = subject;
      const merchant = await newMerchant();
      for (const { card } of approved) {
        const request = chargeOf(await tokenOf(subject, merchant, card));
        assert.deepEqual(await knownValue(acquirer.findCharge(merchant, request.reference)), { status: 'not_found' });
        await isApproved(acquirer.chargeCard(merchant, request));
        await isApproved(acquirer.findCharge(merchant, request.reference));
      }
    },
  },
  {
    name: 'a charge is declined for its reason and with its class, and found so',
    async run(subject) {
      const { acquirer, newMerchant, declined } = subject;
      const merchant = await newMerchant();
      for (const { card, reason, isReversible } of declined) {
        const request = chargeOf(await tokenOf(subject, merchant, card));
        const outcome = await knownValue(acquirer.chargeCard(merchant, request));
        assert.ok(outcome.status === 'declined' && outcome.code !== '');
        const { code } = outcome;
        assert.deepEqual(outcome, { status: 'declined', reason, isReversible, code });
        assert.deepEqual(await knownValue(acquirer.findCharge(merchant, request.reference)), outcome);
        assert.deepEqual(await knownValue(acquirer.chargeCard(merchant, request)), outcome);
      }
    },
  },
  {
    name: 'a reference is charged once, however often and concurrently it is asked for',
    async run(subject) {
      const merchant = await subject.newMerchant();
      const request = chargeOf(await approvedCard(subject, merchant));
      const outcomes = await times(AT_ONCE, () => knownValue(subject.acquirer.chargeCard(merchant, request)));
      assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set(['approved']));
      await returnsOnce(subject, merchant, (amount) => asking(subject, request.reference, amount));
    },
  },
  {
    name: 'two references are two charges',
    async run(subject) {
      const merchant = await subject.newMerchant();
      const token = await approvedCard(subject, merchant);
      const requests = [chargeOf(token), chargeOf(token)];
      for (const request of requests) await knownValue(subject.acquirer.chargeCard(merchant, request));
      const refunds = requests.map(({ reference }) => asking(subject, reference, AMOUNT));
      for (const refund of refunds) await refund.ask(merchant);
      assert.deepEqual(await endsOf(subject, merchant, refunds), ['completed', 'completed']);
    },
  },
  {
    name: 'a card that its buyer paid with is charged again without the buyer, in several charges of one order',
    async run(subject) {
      const { acquirer } = subject;
      const merchant = await subject.newMerchant();
      const token = await approvedCard(subject, merchant);
      const first = { series: { origin: null, isRetry: false } };
      const paid = await knownValue(acquirer.chargeCard(merchant, chargeOf(token, first)));
      assert.ok(paid.status === 'approved');
      const series = { origin: paid.origin ?? null, isRetry: false };
      const renewal = { orderId: newId('in'), initiator: 'merchant', series } as const;
      const requests = [chargeOf(token, renewal), chargeOf(token, renewal)];
      for (const request of requests) await isApproved(acquirer.chargeCard(merchant, request));
      const refunds = requests.map(({ reference }) => asking(subject, reference, AMOUNT));
      for (const refund of refunds) await refund.ask(merchant);
      assert.deepEqual(await endsOf(subject, merchant, refunds), ['completed', 'completed']);
    },
  },
  {
    name: 'a request that comes after its deadline charges nothing and is never found',
    async run(subject) {
      const { acquirer } = subject;
      const merchant = await subject.newMerchant();
      const request = { ...chargeOf(await approvedCard(subject, merchant)), deadlineMs: realTimeMs() - SECOND_MS };
      const answers = await times(AT_ONCE, () => acquirer.chargeCard(merchant, request));
      assert.ok(answers.every(({ known }) => !known));
      assert.deepEqual(await knownValue(acquirer.findCharge(merchant, request.reference)), { status: 'not_found' });
    },
  },
  {
    name: 'a charge belongs to its merchant alone',
    async run(subject) {
      const reference = await approvedCharge(subject, await subject.newMerchant());
      const other = await subject.newMerchant();
      assert.deepEqual(await knownValue(subject.acquirer.findCharge(other, reference)), { status: 'not_found' });
      await assert.rejects(subject.acquirer.refundCard(other, cardRefund(reference, AMOUNT)));
    },
  },
  ...refundCases<CardSubject>('a charge', async (subject, merchant) => {
    const reference = await approvedCharge(subject, merchant);
    return (amount) => asking(subject, reference, amount);
  }),
];
