import assert from 'node:assert/strict';
import { newSuffix } from '../../../kernel/ids.ts';
import { DAY } from '../../../kernel/time.ts';
import type { DebitFinding, DebitRequest, MandateRequest, Merchant } from '../port.ts';
import { AMOUNT, AT_ONCE, type ConformanceCase, knownValue, type MandateSubject, times } from './subject.ts';

/** Debits of the suite fall due on this day. */
const DUE = '2027-02-01';
const INSTRUCTED = '2027-01-25';

/** A merchant at noon of a day that is right for an instruction. */
async function merchantOf(subject: MandateSubject): Promise<Merchant> {
  return subject.at(await subject.newMerchant(), INSTRUCTED, 12);
}

async function mandateOf(
  { acquirer }: MandateSubject,
  merchant: Merchant,
  changes: Partial<MandateRequest> = {},
): Promise<MandateRequest> {
  return {
    place: await knownValue(acquirer.placeMandate(merchant)),
    contract: newSuffix(),
    title: 'Plano Ouro',
    debtor: { name: 'Maria da Silva', document: '52998224725' },
    firstTxid: null,
    startsOn: DUE,
    period: 'month',
    fixed: null,
    minimum: null,
    isRepeat: false,
    ...changes,
  };
}

async function approved(subject: MandateSubject, merchant: Merchant): Promise<string> {
  const { bankRef } = await knownValue(subject.acquirer.createMandate(merchant, await mandateOf(subject, merchant)));
  await subject.approve(merchant, bankRef);
  return bankRef;
}

const debitOf = (bankRef: string, changes: Partial<DebitRequest> = {}): DebitRequest => ({
  txid: newSuffix(),
  bankRef,
  amount: AMOUNT,
  dueOn: DUE,
  note: 'Plano Ouro, fevereiro',
  isRepeat: false,
  ...changes,
});

/** The txid of a debit that the buyer's bank has scheduled. */
async function scheduled(subject: MandateSubject, merchant: Merchant): Promise<string> {
  const request = debitOf(await approved(subject, merchant));
  await knownValue(subject.acquirer.instruct(merchant, request));
  assert.equal((await debit(subject, merchant, request.txid)).status, 'scheduled');
  return request.txid;
}

async function debit({ acquirer }: MandateSubject, merchant: Merchant, txid: string): Promise<DebitFinding> {
  const found = await knownValue(acquirer.findDebit(merchant, txid));
  assert.ok(found !== null, 'the acquirer has the debit');
  return found;
}

async function statusOf({ acquirer }: MandateSubject, merchant: Merchant, bankRef: string) {
  const found = await knownValue(acquirer.findMandate(merchant, { place: '', bankRef }));
  return [found?.status, found?.endedBy];
}

/** No money: it can be collected on another day. */
const NO_MONEY = { code: 'AM02' };
/** The account is closed: nothing more is tried. */
const CLOSED = { code: 'AC05' };

const authorising: readonly ConformanceCase<MandateSubject>[] = [
  {
    name: 'a mandate is made once for its place, however often and concurrently it is asked for',
    async run(subject) {
      const merchant = await merchantOf(subject);
      const request = await mandateOf(subject, merchant);
      const ask = (isRepeat: boolean) => knownValue(subject.acquirer.createMandate(merchant, { ...request, isRepeat }));
      const first = await ask(false);
      const answers = await times(AT_ONCE, () => ask(true));
      assert.deepEqual(new Set(answers.map(({ bankRef }) => bankRef)), new Set([first.bankRef]));
      const found = await knownValue(subject.acquirer.findMandate(merchant, { place: request.place, bankRef: null }));
      assert.deepEqual([found?.bankRef, found?.status], [first.bankRef, 'created']);
    },
  },
  {
    name: 'a place that serves no mandate, and a mandate that is not there, are found as nothing',
    async run(subject) {
      const merchant = await merchantOf(subject);
      const place = await knownValue(subject.acquirer.placeMandate(merchant));
      assert.equal(await knownValue(subject.acquirer.findMandate(merchant, { place, bankRef: null })), null);
      const bankRef = 'RR1234567820240115abcdefghijk';
      assert.equal(await knownValue(subject.acquirer.findMandate(merchant, { place, bankRef })), null);
    },
  },
  {
    name: 'a mandate is approved, or rejected, by its buyer',
    async run(subject) {
      const merchant = await merchantOf(subject);
      const bankRef = await approved(subject, merchant);
      assert.deepEqual(await statusOf(subject, merchant, bankRef), ['approved', null]);
      const request = await mandateOf(subject, merchant);
      const refused = await knownValue(subject.acquirer.createMandate(merchant, request));
      await subject.reject(merchant, refused.bankRef);
      assert.deepEqual(await statusOf(subject, merchant, refused.bankRef), ['rejected', null]);
    },
  },
  {
    name: 'one code pays the first charge and authorises',
    async run(subject) {
      const merchant = await merchantOf(subject);
      const [txid, expiresAt] = [newSuffix(), merchant.now + DAY];
      await knownValue(subject.acquirer.createPix(merchant, { txid, amount: AMOUNT, expiresAt, isRepeat: false }));
      const request = await mandateOf(subject, merchant, { firstTxid: txid });
      const { bankRef, copyPaste } = await knownValue(subject.acquirer.createMandate(merchant, request));
      assert.match(
        copyPaste,
        /^000201.*26\d\d0014br\.gov\.bcb\.pix25\d\d.*80\d\d0014br\.gov\.bcb\.pix25\d\d.*6304[0-9A-F]{4}$/,
      );
      await subject.approve(merchant, bankRef);
      const cob = await knownValue(subject.acquirer.findPix(merchant, txid));
      assert.deepEqual([cob?.status, cob?.payments.length], ['concluded', 1]);
      assert.deepEqual(await statusOf(subject, merchant, bankRef), ['approved', null]);
    },
  },
  {
    name: 'a mandate ends once, and tells by whom',
    async run(subject) {
      const merchant = await merchantOf(subject);
      const [mine, theirs] = [await approved(subject, merchant), await approved(subject, merchant)];
      const cancel = (bankRef: string) => knownValue(subject.acquirer.cancelMandate(merchant, bankRef));
      assert.deepEqual([await cancel(mine), await cancel(mine)], ['cancelled', 'cancelled']);
      assert.deepEqual(await statusOf(subject, merchant, mine), ['cancelled', 'merchant']);
      await subject.endAtBank(merchant, theirs, 'payer');
      assert.equal(await cancel(theirs), 'ended_already');
      assert.deepEqual(await statusOf(subject, merchant, theirs), ['cancelled', 'payer']);
    },
  },
];

const debiting: readonly ConformanceCase<MandateSubject>[] = [
  {
    name: 'a debit is instructed once for its txid, however often and concurrently it is asked for, and paid on its day',
    async run(subject) {
      const merchant = await merchantOf(subject);
      const request = debitOf(await approved(subject, merchant));
      const ask = (isRepeat: boolean) => knownValue(subject.acquirer.instruct(merchant, { ...request, isRepeat }));
      await ask(false);
      await times(AT_ONCE, () => ask(true));
      const early = await subject.at(merchant, DUE, 5);
      assert.equal((await debit(subject, early, request.txid)).status, 'scheduled');
      const later = await subject.at(merchant, DUE, 7);
      const { status, payments, tries } = await debit(subject, later, request.txid);
      assert.deepEqual([status, payments.map(({ amount, settled }) => [amount, settled])], ['paid', [[AMOUNT, true]]]);
      assert.deepEqual(tries, [{ date: DUE, status: 'paid', code: null }]);
      assert.equal(await knownValue(subject.acquirer.cancelDebit(later, request.txid)), 'paid');
    },
  },
  {
    name: 'one debit lives in a cycle, of a mandate that is approved, instructed 10 to 2 days ahead',
    async run(subject) {
      const merchant = await merchantOf(subject);
      const bankRef = await approved(subject, merchant);
      const isRefused = async (of: Merchant, request: DebitRequest) => {
        const answer = await subject.acquirer.instruct(of, request);
        assert.deepEqual(answer, { known: false, why: 'refused' });
      };
      await isRefused(await subject.at(merchant, '2027-01-21', 12), debitOf(bankRef));
      await isRefused(await subject.at(merchant, '2027-01-31', 12), debitOf(bankRef));
      const now = await subject.at(merchant, '2027-01-30', 12);
      await knownValue(subject.acquirer.instruct(now, debitOf(bankRef)));
      await isRefused(now, debitOf(bankRef, { dueOn: '2027-02-02' }));
      const { bankRef: waiting } = await knownValue(subject.acquirer.createMandate(now, await mandateOf(subject, now)));
      await isRefused(now, debitOf(waiting));
    },
  },
  {
    name: 'a debit is taken back until 22:00 of the day before, any number of times',
    async run(subject) {
      const merchant = await merchantOf(subject);
      const [first, second] = [await scheduled(subject, merchant), await scheduled(subject, merchant)];
      const evening = await subject.at(merchant, '2027-01-31', 21);
      const cancel = (of: Merchant, txid: string) => knownValue(subject.acquirer.cancelDebit(of, txid));
      assert.deepEqual([await cancel(evening, first), await cancel(evening, first)], ['cancelled', 'cancelled']);
      assert.equal((await debit(subject, evening, first)).status, 'cancelled');
      const night = await subject.at(merchant, '2027-01-31', 22);
      assert.equal(await cancel(night, second), 'too_late');
      assert.equal((await debit(subject, night, second)).status, 'scheduled');
      assert.equal(await cancel(night, newSuffix()), 'cancelled');
    },
  },
  {
    name: 'a debit without money is tried on three more days within seven, each asked for ahead, and expires',
    async run(subject) {
      let merchant = await merchantOf(subject);
      const txid = await scheduled(subject, merchant);
      const retry = (date: string) => knownValue(subject.acquirer.retryDebit(merchant, { txid, date }));
      assert.equal(await retry('2027-02-02'), 'refused');
      for (const [day, next] of [
        [DUE, '2027-02-02'],
        ['2027-02-02', '2027-02-04'],
        ['2027-02-04', '2027-02-08'],
      ] as const) {
        await subject.decide(merchant, txid, NO_MONEY);
        merchant = await subject.at(merchant, day, 21);
        const { status, tries } = await debit(subject, merchant, txid);
        assert.deepEqual([status, tries.at(-1)], ['unpaid', { date: day, status: 'refused', code: 'AM02' }]);
        assert.equal(await retry('2027-02-09'), 'refused');
        assert.deepEqual([await retry(next), await retry(next)], ['asked', 'asked']);
      }
      await subject.decide(merchant, txid, NO_MONEY);
      merchant = await subject.at(merchant, '2027-02-08', 21);
      assert.equal(await retry('2027-02-09'), 'refused');
      const { status, payments } = await debit(subject, merchant, txid);
      assert.deepEqual([status, payments], ['expired', []]);
      assert.equal(await knownValue(subject.acquirer.cancelDebit(merchant, txid)), 'ended');
    },
  },
  {
    name: 'a debit whose account is closed ends whole, and what the buyer ends takes its debits along',
    async run(subject) {
      const merchant = await merchantOf(subject);
      const txid = await scheduled(subject, merchant);
      const bankRef = await approved(subject, merchant);
      const taken = debitOf(bankRef);
      await knownValue(subject.acquirer.instruct(merchant, taken));
      await subject.endAtBank(merchant, bankRef, 'payer');
      assert.equal((await debit(subject, merchant, taken.txid)).status, 'cancelled');
      await subject.decide(merchant, txid, CLOSED);
      const { status, tries } = await debit(subject, await subject.at(merchant, DUE, 21), txid);
      assert.deepEqual([status, tries], ['refused', [{ date: DUE, status: 'refused', code: 'AC05' }]]);
    },
  },
];

export const mandateCases: readonly ConformanceCase<MandateSubject>[] = [...authorising, ...debiting];
