import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../server/kernel/ids.ts';
import { realTimeMs, SECOND_MS } from '../../../server/kernel/time.ts';
import { takenCard } from '../../../server/payments/acquirer/conformance.ts';
import type { MandateRequest } from '../../../server/payments/acquirer/port.ts';
import {
  APPROVED,
  cardOf,
  chargeOf,
  newMerchant,
  numberOf,
  openSandboxBank,
  refundOf,
  returnOf,
  type SandboxBank,
  told,
} from './sandbox-bank.ts';

const SLOW = '4000000000005001';
const ANSWER_LOST = '4000000000004087';

let bank: SandboxBank;
beforeAll(async () => {
  bank = await openSandboxBank();
});
afterAll(() => bank.close());

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const declined = (reason: string, code: string, isReversible: boolean) => ({
  status: 'declined',
  reason,
  code,
  isReversible,
});

const verified = { status: 'taken' };

describe('a test card', () => {
  test.each([
    ['4242424242424242', { status: 'approved' }],
    ['5555555555554444', { status: 'approved' }],
    ['378282246310005', { status: 'approved' }],
    ['5067766783888311', { status: 'approved' }],
    ['6062825624254001', { status: 'approved' }],
    ['4000000000000341', { status: 'approved' }],
    ['4000000000007775', { status: 'approved' }],
    ['4000000000000002', declined('issuer_declined', '05', true)],
    ['4000000000009995', declined('insufficient_funds', '51', true)],
    ['4000000000000069', declined('expired_card', '54', false)],
    ['4000000000000127', declined('invalid_card_data', '14', false)],
    ['4000000000009979', declined('suspected_fraud', '59', true)],
    ['4000000000000119', declined('processing_error', '96', true)],
    ['4111111111111111', { status: 'approved' }],
    ['4000000000000226', { status: 'approved' }],
    ['4012888888881881', declined('invalid_card_data', '14', false)],
  ])('%s is charged with the outcome %j', async (number, outcome) => {
    const merchant = newMerchant();
    const request = chargeOf(await bank.tokenOf(merchant, number));
    expect(await told(bank.acquirer.chargeCard(merchant, request))).toEqual(outcome);
  });

  test.each([
    ['4242424242424242', verified],
    ['4000000000000341', verified],
    ['4000000000007775', verified],
    ['4000000000009995', verified],
    ['4000000000005001', verified],
    ['4000000000004087', verified],
    ['4000000000000002', declined('issuer_declined', '05', true)],
    ['4000000000000069', declined('expired_card', '54', false)],
    ['4000000000000127', declined('invalid_card_data', '14', false)],
    ['4000000000009979', declined('suspected_fraud', '59', true)],
    ['4000000000000119', declined('processing_error', '96', true)],
    ['4111111111111111', verified],
    ['4000000000000226', verified],
    ['4012888888881881', declined('invalid_card_data', '14', false)],
  ])('%s is verified at once with the outcome %j, and charged nothing', async (number, outcome) => {
    const merchant = newMerchant();
    expect(await told(bank.acquirer.verifyCard(merchant, cardOf(number)))).toMatchObject(outcome);
    const charges = 'SELECT reference FROM sandbox_bank.charge WHERE account_id = $1';
    const { rows } = await bank.pool.query(charges, [merchant.accountId]);
    expect(rows).toEqual([]);
  });

  test.each([APPROVED, '4000000000000002', '4000000000007775'])(
    'regression-67-%s is declined as expired from the end of its month on, in São Paulo',
    async (number) => {
      const merchant = newMerchant();
      const at = (date: string) => ({ ...merchant, now: Date.parse(date) / 1_000 });
      const after = at('2027-04-01T03:00:00Z');
      const ending = { ...cardOf(number), card: { ...numberOf(number), expMonth: 3, expYear: 2027 } };
      const { token } = await takenCard(bank.acquirer.tokenizeCard(merchant, ending));
      const expired = declined('expired_card', '54', false);
      for (const initiator of ['customer', 'merchant'] as const) {
        const before = await told(bank.acquirer.chargeCard(at('2027-04-01T02:59:59Z'), chargeOf(token, { initiator })));
        expect(before).not.toEqual(expired);
        const late = chargeOf(token, { initiator });
        expect(await told(bank.acquirer.chargeCard(after, late))).toEqual(expired);
        expect(await told(bank.acquirer.chargeCard(merchant, late))).toEqual(expired);
        expect(await told(bank.acquirer.findCharge(merchant, late.reference))).toEqual(expired);
      }
      expect(await told(bank.acquirer.verifyCard(after, ending))).toEqual(expired);
    },
  );

  test('that is slow is at the acquirer for ten seconds, then approved for all who asked', async () => {
    const merchant = newMerchant();
    const request = chargeOf(await bank.tokenOf(merchant, SLOW));
    const find = () => told(bank.acquirer.findCharge(merchant, request.reference));
    const beganMs = performance.now();
    const answers = [bank.acquirer.chargeCard(merchant, request)];
    await sleep(2_000);
    answers.push(bank.acquirer.chargeCard(merchant, request));
    expect(await find()).toEqual({ status: 'processing' });
    await expect(bank.acquirer.refundCard(merchant, refundOf(request.reference))).rejects.toThrow('no approved charge');
    for (const answer of answers) expect(await told(answer)).toEqual({ status: 'approved' });
    const tookMs = performance.now() - beganMs;
    expect(tookMs).toBeGreaterThan(9_900);
    expect(tookMs).toBeLessThan(11_900);
    expect(await find()).toEqual({ status: 'approved' });
  });

  test('whose answer is lost is charged, and the caller hears nothing of it', async () => {
    const merchant = newMerchant();
    const request = chargeOf(await bank.tokenOf(merchant, ANSWER_LOST));
    expect(await bank.acquirer.chargeCard(merchant, request)).toEqual({ known: false, why: 'timeout' });
    expect(await told(bank.acquirer.findCharge(merchant, request.reference))).toEqual({ status: 'approved' });
  });

  test('leaves neither its number nor its CVC in the books of the bank', async () => {
    const merchant = newMerchant();
    const cards = [APPROVED, '378282246310005', '4000000000000002', ANSWER_LOST];
    for (const number of cards) {
      const token = await bank.tokenOf(merchant, number);
      await bank.acquirer.chargeCard(merchant, chargeOf(token));
    }
    const { rows: tables } = await bank.pool.query(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'sandbox_bank'`,
    );
    expect(tables.length).toBeGreaterThan(6);
    for (const { name } of tables) {
      const { rows } = await bank.pool.query(`SELECT * FROM sandbox_bank.${name}`);
      const values = rows.flatMap((row) => Object.values(row).map(String));
      for (const number of cards) {
        expect(values.join('\n'), name).not.toContain(number.slice(0, 12));
        expect(values, name).not.toContain(numberOf(number).cvc);
      }
    }
  });
});

describe('a charge', () => {
  test('that is repeated with another card, amount, installments, order, initiator or account is refused as a fault of the caller', async () => {
    const merchant = newMerchant();
    const request = chargeOf(await bank.tokenOf(merchant, APPROVED));
    await told(bank.acquirer.chargeCard(merchant, request));
    const other = newMerchant();
    const repeats = [
      [merchant, { ...request, amount: request.amount + 1 }],
      [merchant, { ...request, installments: 2 }],
      [merchant, { ...request, orderId: newId('in') }],
      [merchant, { ...request, initiator: 'merchant' }],
      [merchant, { ...request, token: await bank.tokenOf(merchant, APPROVED) }],
      [other, { ...request, token: await bank.tokenOf(other, APPROVED) }],
    ] as const;
    for (const [who, repeat] of repeats)
      await expect(bank.acquirer.chargeCard(who, repeat)).rejects.toThrow('was repeated');
    await expect(bank.acquirer.chargeCard(other, request)).rejects.toThrow('no card');
  });

  test('that is repeated after the deadline is answered its outcome', async () => {
    const merchant = newMerchant();
    const request = chargeOf(await bank.tokenOf(merchant, APPROVED));
    await told(bank.acquirer.chargeCard(merchant, request));
    const late = { ...request, deadlineMs: realTimeMs() - 60_000 };
    expect(await bank.acquirer.chargeCard(merchant, late)).toEqual({ known: true, value: { status: 'approved' } });
  });

  test('that comes after its deadline is answered a fault', async () => {
    const merchant = newMerchant();
    const late = chargeOf(await bank.tokenOf(merchant, APPROVED), { deadlineMs: realTimeMs() - SECOND_MS });
    expect(await bank.acquirer.chargeCard(merchant, late)).toEqual({ known: false, why: 'fault' });
  });

  test('that comes as its deadline passes is booked and answered so, or neither', async () => {
    const merchant = newMerchant();
    const token = await bank.tokenOf(merchant, APPROVED);
    const deadlineMs = realTimeMs() + 500;
    const requests = Array.from({ length: 200 }, () => chargeOf(token, { deadlineMs }));
    const answers = requests.map(async (request, index) => {
      await sleep((index % 100) * 10);
      return bank.acquirer.chargeCard(merchant, request);
    });
    const charged = (await Promise.all(answers)).map(({ known }) => known);
    const found = await Promise.all(
      requests.map(({ reference }) => told(bank.acquirer.findCharge(merchant, reference))),
    );
    expect(found.map(({ status }) => status === 'approved')).toEqual(charged);
    expect(new Set(charged)).toEqual(new Set([true, false]));
  });
});

describe('a refund', () => {
  test('completes at once, at the instant of the account', async () => {
    const merchant = newMerchant();
    const charge = chargeOf(await bank.tokenOf(merchant, APPROVED));
    await told(bank.acquirer.chargeCard(merchant, charge));
    const refund = refundOf(charge.reference);
    const completed = { status: 'completed', at: merchant.now };
    expect(await told(bank.acquirer.refundCard(merchant, refund))).toEqual(completed);
    const later = { ...merchant, now: merchant.now + 3_600 };
    expect(await told(bank.acquirer.refundCard(later, refund))).toEqual(completed);
    expect(await told(bank.acquirer.findRefund(later, refund))).toEqual(completed);
    await expect(bank.acquirer.refundCard(merchant, { ...refund, amount: 2 })).rejects.toThrow('was repeated');
  });

  test('of a charge that was declined or never made is a fault of the caller', async () => {
    const merchant = newMerchant();
    const charge = chargeOf(await bank.tokenOf(merchant, '4000000000000002'));
    await told(bank.acquirer.chargeCard(merchant, charge));
    for (const reference of [charge.reference, newId('ca')])
      await expect(bank.acquirer.refundCard(merchant, refundOf(reference))).rejects.toThrow('no approved charge');
  });
});

describe('a PIX return whose cents end in 99', () => {
  async function paid(amount: number) {
    const merchant = newMerchant();
    const txid = await bank.newQrCode(merchant, amount);
    await bank.buyerPays(merchant, txid);
    const endToEndId = (await told(bank.acquirer.findPix(merchant, txid)))?.payments[0]?.endToEndId ?? '';
    return { merchant, endToEndId };
  }

  test('is refused every time', async () => {
    const { merchant, endToEndId } = await paid(9_999);
    for (const amount of [1_099, 9_999, 1_099, 99])
      expect(await told(bank.acquirer.refundPix(merchant, returnOf(endToEndId, { amount })))).toEqual({
        status: 'refused',
      });
    const other = returnOf(endToEndId, { amount: 1_000 });
    expect(await told(bank.acquirer.refundPix(merchant, other))).toEqual({ status: 'processing' });
    await expect(bank.acquirer.refundPix(merchant, { ...other, amount: 1 })).rejects.toThrow('was repeated');
  });

  test('is refused the first time only if it is of a surplus', async () => {
    const { merchant, endToEndId } = await paid(9_999);
    const ask = () => returnOf(endToEndId, { amount: 9_999, reason: 'surplus' });
    expect(await told(bank.acquirer.refundPix(merchant, ask()))).toEqual({ status: 'refused' });
    expect(await told(bank.acquirer.refundPix(merchant, ask()))).toEqual({ status: 'processing' });
    expect(await told(bank.acquirer.refundPix(merchant, ask()))).toEqual({ status: 'refused' });
  });
});

const mandateAt = (place: string): MandateRequest => ({
  ...{ place, contract: 'c', title: 't', debtor: { name: 'Maria', document: '52998224725' }, firstTxid: null },
  ...{ startsOn: '2027-02-01', period: 'month', fixed: null, minimum: null, isRepeat: false },
});

test('live money is refused by every call', async () => {
  const live = { ...newMerchant(), liveMode: true };
  const { acquirer } = bank;
  const calls = [
    () => acquirer.createPix(live, { txid: 't', amount: 1, expiresAt: live.now + 1, isRepeat: false }),
    () => acquirer.findPix(live, 't'),
    () => acquirer.expirePix(live, 't'),
    () => acquirer.refundPix(live, returnOf('E')),
    () => acquirer.placeMandate(live),
    () => acquirer.createMandate(live, mandateAt('p')),
    () => acquirer.findMandate(live, { place: 'p', bankRef: null }),
    () => acquirer.cancelMandate(live, 'm'),
    () =>
      acquirer.instruct(live, { txid: 't', bankRef: 'm', amount: 1, dueOn: '2027-02-01', note: '', isRepeat: false }),
    () => acquirer.findDebit(live, 't'),
    () => acquirer.cancelDebit(live, 't'),
    () => acquirer.retryDebit(live, { txid: 't', date: '2027-02-01' }),
    () => acquirer.tokenizeCard(live, cardOf(APPROVED)),
    () => acquirer.verifyCard(live, cardOf(APPROVED)),
    () => acquirer.findCard(live, { token: 't' }),
    () => acquirer.forgetCard(live, { token: 't' }),
    () => acquirer.chargeCard(live, chargeOf('t')),
    () => acquirer.findCharge(live, 'r'),
    () => acquirer.refundCard(live, refundOf('r')),
    () => acquirer.findRefund(live, refundOf('r')),
  ];
  expect(calls).toHaveLength(Object.values(acquirer).filter((of) => typeof of === 'function').length);
  for (const call of calls) await expect(call()).rejects.toThrow('live money');
});
