import assert from 'node:assert/strict';
import { newSuffix } from '../../../kernel/ids.ts';
import { MINUTE } from '../../../kernel/time.ts';
import { locationOf } from '../br-code.ts';
import type { Merchant, PixCob, PixPayment, PixRequest } from '../port.ts';
import { refundCases, refundOf } from './refunds.ts';
import { AMOUNT, AT_ONCE, type ConformanceCase, knownValue, type PixSubject, times } from './subject.ts';

const pixRequest = (merchant: Merchant): PixRequest => ({
  txid: newSuffix(),
  amount: AMOUNT,
  expiresAt: merchant.now + 10 * MINUTE,
  isRepeat: false,
});

const findCob = ({ acquirer }: PixSubject, merchant: Merchant, txid: string): Promise<PixCob | null> =>
  knownValue(acquirer.findPix(merchant, txid));

async function paidQrCode(subject: PixSubject, merchant: Merchant): Promise<PixPayment> {
  const request = pixRequest(merchant);
  await knownValue(subject.acquirer.createPix(merchant, request));
  await subject.payQrCode(merchant, request.txid);
  const payments = (await findCob(subject, merchant, request.txid))?.payments ?? [];
  const [payment] = payments;
  assert.ok(payment !== undefined && payments.length === 1, 'one payment is one payment');
  return payment;
}

export const pixCases: readonly ConformanceCase<PixSubject>[] = [
  {
    name: 'a QR code is made once for its txid, however often and concurrently it is asked for',
    async run(subject) {
      const merchant = await subject.newMerchant();
      const request = pixRequest(merchant);
      const { txid } = request;
      const answers = await times(AT_ONCE, () => knownValue(subject.acquirer.createPix(merchant, request)));
      // The text may be the acquirer's own or made of where the charge is; it leads there.
      const locations = new Set(answers.map(({ copyPaste }) => locationOf(copyPaste)));
      assert.ok(locations.size === 1 && !locations.has(null), 'every QR code leads to one charge');
      assert.deepEqual(await findCob(subject, merchant, txid), { txid, status: 'active', payments: [] });
    },
  },
  {
    name: 'a txid that was never charged is found as nothing, and is as good as expired',
    async run(subject) {
      const merchant = await subject.newMerchant();
      const txid = newSuffix();
      assert.equal(await findCob(subject, merchant, txid), null);
      assert.equal(await knownValue(subject.acquirer.expirePix(merchant, txid)), 'expired');
      assert.equal(await findCob(subject, merchant, txid), null);
    },
  },
  {
    name: 'an unpaid QR code is expired, any number of times',
    async run(subject) {
      const merchant = await subject.newMerchant();
      const request = pixRequest(merchant);
      const { txid } = request;
      await knownValue(subject.acquirer.createPix(merchant, request));
      const expire = () => knownValue(subject.acquirer.expirePix(merchant, txid));
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
      assert.equal(await knownValue(subject.acquirer.expirePix(merchant, txid)), 'alreadyPaid');
      const cob = await findCob(subject, merchant, txid);
      assert.deepEqual([cob?.status, cob?.payments.length], ['concluded', 1]);
    },
  },
  {
    name: 'a payment shows what went back of it, under the reference that it was asked for by',
    async run(subject) {
      const merchant = await subject.newMerchant();
      const { txid, endToEndId, returns } = await paidQrCode(subject, merchant);
      assert.deepEqual(returns, []);
      const request = { ...refundOf(1_500), method: 'pix', endToEndId, askedAt: merchant.now } as const;
      await knownValue(subject.acquirer.refundPix(merchant, request));
      const cob = await findCob(subject, await subject.afterReturn(merchant), txid);
      assert.deepEqual(
        cob?.payments.map((payment) => payment.returns),
        [[{ id: request.reference, amount: 1_500, nature: 'requested', status: 'completed' }]],
      );
    },
  },
  ...refundCases<PixSubject>('a PIX payment', async (subject, merchant) => {
    const { endToEndId } = await paidQrCode(subject, merchant);
    return (amount) => {
      const request = { ...refundOf(amount), method: 'pix', endToEndId, askedAt: merchant.now } as const;
      return {
        ask: (of) => subject.acquirer.refundPix(of, request),
        find: (of) => subject.acquirer.findRefund(of, request),
      };
    };
  }),
];
