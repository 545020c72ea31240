import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../server/kernel/ids.ts';
import { realTimeMs, SECOND_MS } from '../../../server/kernel/time.ts';
import type { ChargeRequest } from '../../../server/payments/acquirer/port.ts';
import { chargeOf, newMerchant, openSandboxBank, type SandboxBank, told } from './sandbox-bank.ts';

const RENEWALS_DECLINED = '4000000000000341';
const RENEWALS_DELAYED = '4000000000007775';
const LACKS_FUNDS = '4000000000009995';

let bank: SandboxBank;
beforeAll(async () => {
  bank = await openSandboxBank();
});
afterAll(() => bank.close());

describe('a renewal', () => {
  const renewalOf = (token: string, orderId: string) => chargeOf(token, { orderId, initiator: 'merchant' });
  const approved = { status: 'approved' };
  const lacking = { status: 'declined', reason: 'insufficient_funds', code: '51', isReversible: true };

  test('of the card whose renewals are declined is declined each time, while its buyer may pay', async () => {
    const merchant = newMerchant();
    const token = await bank.tokenOf(merchant, RENEWALS_DECLINED);
    const charge = (request: ChargeRequest) => told(bank.acquirer.chargeCard(merchant, request));
    const orderId = newId('in');
    const renewals = [1, 2, 3, 4].map(() => renewalOf(token, orderId));
    for (const renewal of renewals) expect(await charge(renewal)).toEqual(lacking);
    expect(await charge(chargeOf(token, { orderId }))).toEqual(approved);
    expect(await charge(renewalOf(token, orderId))).toEqual(lacking);
  });

  test('of the card whose renewals are refused is declined for good, and found so, while its buyer may pay', async () => {
    const merchant = newMerchant();
    const token = await bank.tokenOf(merchant, '4000000000000226');
    const refused = { status: 'declined', reason: 'issuer_declined', code: '46', isReversible: false };
    const renewal = renewalOf(token, newId('in'));
    expect(await told(bank.acquirer.chargeCard(merchant, renewal))).toEqual(refused);
    expect(await told(bank.acquirer.findCharge(merchant, renewal.reference))).toEqual(refused);
    expect(await told(bank.acquirer.chargeCard(merchant, chargeOf(token)))).toEqual(approved);
  });

  test('of the card whose renewals are delayed is declined twice, then approved, and repeated alike', async () => {
    const merchant = newMerchant();
    const token = await bank.tokenOf(merchant, RENEWALS_DELAYED);
    const charge = (request: ChargeRequest) => told(bank.acquirer.chargeCard(merchant, request));
    for (const orderId of [newId('in'), newId('in')]) {
      // What its buyer pays counts for nothing.
      expect(await charge(chargeOf(token, { orderId }))).toEqual(approved);
      const renewals = [1, 2, 3, 4].map(() => renewalOf(token, orderId));
      const outcomes = [lacking, lacking, approved, approved];
      for (const [index, renewal] of renewals.entries()) {
        expect(await charge(renewal)).toEqual(outcomes[index]);
        expect(await charge(renewal)).toEqual(outcomes[index]);
      }
      for (const [index, renewal] of renewals.entries()) {
        expect(await charge(renewal)).toEqual(outcomes[index]);
        expect(await told(bank.acquirer.findCharge(merchant, renewal.reference))).toEqual(outcomes[index]);
      }
    }
  });

  test('of the delayed card is declined as often when the card is taken in anew', async () => {
    const merchant = newMerchant();
    const orderId = newId('in');
    const outcomes = [];
    for (let times = 1; times <= 3; times += 1) {
      const request = renewalOf(await bank.tokenOf(merchant, RENEWALS_DELAYED), orderId);
      outcomes.push(await told(bank.acquirer.chargeCard(merchant, request)));
    }
    expect(outcomes).toEqual([lacking, lacking, approved]);
  });

  test('of the delayed card counts its own merchant and its own card alone', async () => {
    const orderId = newId('in');
    for (const merchant of [newMerchant(), newMerchant()]) {
      const lacks = await bank.tokenOf(merchant, LACKS_FUNDS);
      for (const token of [lacks, lacks, await bank.tokenOf(merchant, RENEWALS_DELAYED)])
        expect(await told(bank.acquirer.chargeCard(merchant, renewalOf(token, orderId)))).toEqual(lacking);
    }
  });

  test('of the delayed card is declined twice, however many and however often they come at once', async () => {
    const merchant = newMerchant();
    const token = await bank.tokenOf(merchant, RENEWALS_DELAYED);
    const charge = (request: ChargeRequest) => told(bank.acquirer.chargeCard(merchant, request));
    // The first rounds open the connections that the others race on.
    for (let round = 0; round < 20; round += 1) {
      const orderId = newId('in');
      const renewals = Array.from({ length: 10 }, () => renewalOf(token, orderId));
      const outcomes = await Promise.all([...renewals, ...renewals, ...renewals].map(charge));
      const [first, second, third] = [0, 10, 20].map((from) => outcomes.slice(from, from + renewals.length));
      expect(second).toEqual(first);
      expect(third).toEqual(first);
      expect(first?.filter(({ status }) => status === 'declined')).toEqual([lacking, lacking]);
    }
  });

  test('of the delayed card that came after its deadline is none', async () => {
    const merchant = newMerchant();
    const token = await bank.tokenOf(merchant, RENEWALS_DELAYED);
    const orderId = newId('in');
    const late = { ...renewalOf(token, orderId), deadlineMs: realTimeMs() - SECOND_MS };
    expect(await bank.acquirer.chargeCard(merchant, late)).toEqual({ known: false, why: 'fault' });
    const outcomes = [];
    for (let times = 1; times <= 3; times += 1)
      outcomes.push(await told(bank.acquirer.chargeCard(merchant, renewalOf(token, orderId))));
    expect(outcomes).toEqual([lacking, lacking, approved]);
  });
});
