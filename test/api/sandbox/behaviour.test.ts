import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Merchant } from '../../../server/payments/acquirer/port.ts';
import { createSandboxAcquirer } from '../../../server/payments/acquirer/sandbox/adapter.ts';
import {
  type CallPattern,
  type CallSettings,
  changeBehaviour,
  readBehaviour,
  resetBehaviour,
} from '../../../server/payments/acquirer/sandbox/behaviour.ts';
import {
  APPROVED,
  cardOf,
  chargeOf,
  newMerchant,
  openSandboxBank,
  refundOf,
  returnOf,
  type SandboxBank,
  told,
} from './sandbox-bank.ts';

let bank: SandboxBank;
beforeAll(async () => {
  bank = await openSandboxBank();
});
afterAll(() => bank.close());

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const timeout = { known: false, why: 'timeout' };
const fault = { known: false, why: 'fault' };
const approved = { known: true, value: { status: 'approved' } };

const change = ({ accountId }: Merchant, call: CallPattern, changes: CallSettings) =>
  changeBehaviour(bank.pool, { accountId, call, changes });

/** A merchant toward whom the bank behaves so, from the first call on; and a card of theirs that is approved. */
async function meeting(call: CallPattern, changes: CallSettings) {
  const merchant = newMerchant();
  const token = await bank.tokenOf(merchant, APPROVED);
  await change(merchant, call, changes);
  // One that has read no settings yet.
  return { merchant, acquirer: createSandboxAcquirer(bank.pool), request: chargeOf(token) };
}

const find = (merchant: Merchant, reference: string) => told(bank.acquirer.findCharge(merchant, reference));

describe.each(['chargeCard', '*'] as const)('set for %s', (call) => {
  test('a lost request does nothing', async () => {
    const { merchant, acquirer, request } = await meeting(call, { request_lost: 1 });
    expect(await acquirer.chargeCard(merchant, request)).toEqual(timeout);
    await resetBehaviour(bank.pool, merchant.accountId);
    expect(await told(createSandboxAcquirer(bank.pool).findCharge(merchant, request.reference))).toEqual({
      status: 'not_found',
    });
  });

  test.each([
    ['a lost answer', { answer_lost: 1 }, timeout],
    ['a fault', { fault: 1 }, fault],
  ])('%s tells nothing of the work that was done', async (_, changes, answer) => {
    const { merchant, acquirer, request } = await meeting(call, changes);
    expect(await acquirer.chargeCard(merchant, request)).toEqual(answer);
    await resetBehaviour(bank.pool, merchant.accountId);
    expect(await told(createSandboxAcquirer(bank.pool).findCharge(merchant, request.reference))).toEqual({
      status: 'approved',
    });
  });

  test('a decline befalls any card, and stays the outcome of its reference', async () => {
    const { merchant, acquirer, request } = await meeting(call, { decline: 1 });
    const declined = { status: 'declined', reason: 'issuer_declined', code: '05', isReversible: true };
    expect(await told(acquirer.chargeCard(merchant, request))).toEqual(declined);
    await resetBehaviour(bank.pool, merchant.accountId);
    expect(await told(createSandboxAcquirer(bank.pool).chargeCard(merchant, request))).toEqual(declined);
  });

  test('a decline befalls verifications when it is set for them', async () => {
    const { merchant, acquirer } = await meeting(call, { decline: 1 });
    const { status } = await told(acquirer.verifyCard(merchant, cardOf(APPROVED)));
    expect(status).toBe(call === '*' ? 'declined' : 'taken');
  });

  test('latency is waited for before the work, so that a request may come after its deadline', async () => {
    const { merchant, acquirer, request } = await meeting(call, { latency_ms: 300 });
    const beganMs = performance.now();
    expect(await acquirer.chargeCard(merchant, request)).toEqual(approved);
    expect(performance.now() - beganMs).toBeGreaterThan(290);
    const late = chargeOf(request.token, { deadlineMs: Date.now() + 100 });
    expect(await acquirer.chargeCard(merchant, late)).toEqual(fault);
    expect(await find(merchant, late.reference)).toEqual({ status: 'not_found' });
  });
});

describe.each(['refundCard', 'refundPix', '*'] as const)('set for %s', (call) => {
  test('a refusal befalls refunds of that method, and stays their end', async () => {
    const { merchant, acquirer, request } = await meeting(call, { refuse: 1 });
    await told(acquirer.chargeCard(merchant, request));
    const txid = await bank.newQrCode(merchant);
    await bank.buyerPays(merchant, txid);
    const payment = (await told(acquirer.findPix(merchant, txid)))?.payments[0];
    const [byCard, byPix] = [refundOf(request.reference), returnOf(payment?.endToEndId ?? '')];
    const asked = [await told(acquirer.refundCard(merchant, byCard)), await told(acquirer.refundPix(merchant, byPix))];
    expect(asked.map(({ status }) => status)).toEqual([
      call === 'refundPix' ? 'completed' : 'refused',
      call === 'refundCard' ? 'processing' : 'refused',
    ]);
    await resetBehaviour(bank.pool, merchant.accountId);
    const found = [byCard, byPix].map((refund) => told(createSandboxAcquirer(bank.pool).findRefund(merchant, refund)));
    expect(await Promise.all(found)).toEqual(asked);
  });
});

describe('what is not found for a while', () => {
  test('is found afterwards: a charge, and refunds of both methods', async () => {
    const { merchant, acquirer, request } = await meeting('*', { not_found_seconds: 3 });
    expect(await acquirer.chargeCard(merchant, request)).toEqual(approved);
    const txid = await bank.newQrCode(merchant);
    await bank.buyerPays(merchant, txid);
    const payment = (await told(acquirer.findPix(merchant, txid)))?.payments[0];
    const [byCard, byPix] = [refundOf(request.reference), returnOf(payment?.endToEndId ?? '')];
    await told(acquirer.refundCard(merchant, byCard));
    await told(acquirer.refundPix(merchant, byPix));
    const found = () =>
      Promise.all([
        told(acquirer.findCharge(merchant, request.reference)),
        told(acquirer.findRefund(merchant, byCard)),
        told(acquirer.findRefund(merchant, byPix)),
      ]);
    const statuses = async () => (await found()).map(({ status }) => status);
    expect(await statuses()).toEqual(['not_found', 'unknown_to_acquirer', 'unknown_to_acquirer']);
    await sleep(3_100);
    expect(await statuses()).toEqual(['approved', 'completed', 'processing']);
  });

  test('is found at the latest at the deadline of its request: from then on "not found" is the truth', async () => {
    const { merchant, acquirer, request } = await meeting('findCharge', { not_found_seconds: 3_600 });
    const short = { ...request, deadlineMs: Date.now() + 2_000 };
    expect(await acquirer.chargeCard(merchant, short)).toEqual(approved);
    expect(await told(acquirer.findCharge(merchant, short.reference))).toEqual({ status: 'not_found' });
    await sleep(short.deadlineMs - Date.now() + 5);
    expect(await told(acquirer.findCharge(merchant, short.reference))).toEqual({ status: 'approved' });
  });
});

describe('settings', () => {
  test('of a named call win over those of all, one by one', async () => {
    const { merchant, acquirer, request } = await meeting('*', { fault: 1, decline: 1 });
    await change(merchant, 'chargeCard', { fault: 0 });
    expect(await told(acquirer.chargeCard(merchant, request))).toMatchObject({ reason: 'issuer_declined' });
    expect(await acquirer.findCharge(merchant, request.reference)).toEqual(fault);
  });

  test('are changed one by one, read as they were made, and all taken back at once', async () => {
    const { accountId } = newMerchant();
    const { pool } = bank;
    await changeBehaviour(pool, { accountId, call: '*', changes: { latency_ms: 5, notice_repeats: 2 } });
    await changeBehaviour(pool, { accountId, call: '*', changes: { latency_ms: 7 } });
    await changeBehaviour(pool, { accountId, call: 'findCharge', changes: { not_found_seconds: 3, fault: 0.25 } });
    expect(await readBehaviour(pool, accountId)).toEqual({
      '*': { latency_ms: 7, notice_repeats: 2 },
      findCharge: { not_found_seconds: 3, fault: 0.25 },
    });
    await resetBehaviour(pool, accountId);
    expect(await readBehaviour(pool, accountId)).toEqual({});
  });

  test.each([
    ['findPix', { decline: 1 }, 'decline bears on chargeCard and verifyCard, not on findPix'],
    ['chargeCard', { refuse: 1 }, 'refuse bears on refundPix and refundCard, not on chargeCard'],
    ['findPix', { notice_repeats: 1 }, 'notice_repeats is of the notices of payments: set it without a call'],
  ] as const)('that %s knows nothing of are refused: %j', async (call, changes, message) => {
    await expect(change(newMerchant(), call, changes)).rejects.toThrow(message);
  });

  test('concern their account alone', async () => {
    const { acquirer } = await meeting('*', { request_lost: 1 });
    const other = newMerchant();
    const token = await bank.tokenOf(other, APPROVED);
    expect(await acquirer.chargeCard(other, chargeOf(token))).toEqual(approved);
  });

  test('are felt by a running bank within about a second, as is their end', async () => {
    const merchant = newMerchant();
    const isFaulty = async () => !(await bank.acquirer.findPix(merchant, 'nothing')).known;
    expect(await isFaulty()).toBe(false);
    await change(merchant, 'findPix', { fault: 1 });
    await sleep(1_100);
    expect(await isFaulty()).toBe(true);
    await resetBehaviour(bank.pool, merchant.accountId);
    await sleep(1_100);
    expect(await isFaulty()).toBe(false);
  });

  test('of half happen to about half of the calls', async () => {
    const { merchant, acquirer } = await meeting('findPix', { answer_lost: 0.5 });
    const answers = await Promise.all(Array.from({ length: 400 }, () => acquirer.findPix(merchant, 'nothing')));
    const lost = answers.filter(({ known }) => !known).length;
    expect(lost).toBeGreaterThan(120);
    expect(lost).toBeLessThan(280);
  });
});

describe('a trouble that a test puts in', () => {
  test.each([
    ['unreachable', { known: false, why: 'unreachable' }, 'not_found'],
    ['request_lost', timeout, 'not_found'],
    ['answer_lost', timeout, 'approved'],
    ['fault', fault, 'approved'],
  ] as const)('%s is answered %j, and the charge is %s', async (trouble, answer, status) => {
    const merchant = newMerchant();
    const request = chargeOf(await bank.tokenOf(merchant, APPROVED));
    const acquirer = createSandboxAcquirer(bank.pool, { before: () => trouble });
    expect(await acquirer.chargeCard(merchant, request)).toEqual(answer);
    expect(await find(merchant, request.reference)).toEqual({ status });
  });
});

describe('the notice of a payment', () => {
  const noticeOf = async (txid: string) => {
    const { rows } = await bank.pool.query(
      `SELECT version, extract(epoch FROM due_at - now())::float8 AS seconds FROM outbox WHERE kind = 'pix-settlement' AND key = $1`,
      [txid],
    );
    return rows[0];
  };

  test('comes at once, and again in five seconds if nobody handles it', async () => {
    const merchant = newMerchant();
    const txid = await bank.newQrCode(merchant);
    expect(await bank.buyerPays(merchant, txid)).toBe('now');
    const { seconds } = await noticeOf(txid);
    expect(seconds).toBeGreaterThan(3);
    expect(seconds).toBeLessThanOrEqual(5);
  });

  test('that is delayed comes after a part of the delay by chance, so that notices change places', async () => {
    const { merchant } = await meeting('*', { notice_delay_seconds: 1_000 });
    const waits: number[] = [];
    for (let payments = 0; payments < 12; payments += 1) {
      const txid = await bank.newQrCode(merchant);
      expect(await bank.buyerPays(merchant, txid)).toBe('later');
      waits.push((await noticeOf(txid)).seconds);
    }
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_000);
    expect(waits).not.toEqual(waits.toSorted((a, b) => a - b));
  });

  test('that repeats itself comes again so often after it was handled', async () => {
    const { merchant } = await meeting('*', { notice_repeats: 2 });
    const txid = await bank.newQrCode(merchant);
    await bank.buyerPays(merchant, txid);
    const versions: (number | undefined)[] = [];
    for (let looks = 0; looks < 4; looks += 1) {
      await bank.pool.query('DELETE FROM outbox WHERE key = $1', [txid]);
      await told(bank.acquirer.findPix(merchant, txid));
      versions.push((await noticeOf(txid))?.version);
    }
    expect(versions).toEqual([1, 1, undefined, undefined]);
  });

  test('is asked for once more even while an earlier one waits', async () => {
    const { merchant } = await meeting('*', { notice_repeats: 1 });
    const txid = await bank.newQrCode(merchant);
    await bank.buyerPays(merchant, txid);
    const before = await noticeOf(txid);
    await told(bank.acquirer.findPix(merchant, txid));
    const after = await noticeOf(txid);
    expect(after.version).toBe(before.version + 1);
    expect(after.seconds).toBeLessThanOrEqual(before.seconds);
  });
});
