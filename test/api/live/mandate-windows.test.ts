import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newSuffix } from '../../../server/kernel/ids.ts';
import type { MandateSubject } from '../../../server/payments/acquirer/conformance.ts';
import type { MandatePeriod, Merchant } from '../../../server/payments/acquirer/port.ts';
import { newMerchant, openSandboxBank } from '../sandbox/sandbox-bank.ts';
import { openPsp, saidBy } from './mandate-psp.ts';

/** The last minute in a window, and the first one out of it; in days of São Paulo, where a holiday is a day as others. */

const MINUTES = 60;

/** `2027-02-01 21:59`. */
type Moment = string;

async function at(subject: MandateSubject, merchant: Merchant, moment: Moment): Promise<Merchant> {
  const [day = '', hour = '', minute = ''] = moment.split(/[ :]/);
  return subject.at(merchant, day, Number(hour) + Number(minute) / MINUTES);
}

interface Approved {
  readonly merchant: Merchant;
  readonly bankRef: string;
}

async function approved(
  subject: MandateSubject,
  { startsOn, madeOn = startsOn, period = 'month' }: { startsOn: string; madeOn?: string; period?: MandatePeriod },
): Promise<Approved> {
  const merchant = await at(subject, await subject.newMerchant(), `${madeOn} 00:00`);
  const place = String(await saidBy(subject.acquirer.placeMandate(merchant)));
  const made = await subject.acquirer.createMandate(merchant, {
    ...{ place, contract: newSuffix(), title: 'Plano', debtor: { name: 'Maria', document: '52998224725' } },
    ...{ firstTxid: null, startsOn, period, fixed: null, minimum: null, isRepeat: false },
  });
  if (!made.known) throw new Error(`no mandate: ${made.why}`);
  await subject.approve(merchant, made.value.bankRef);
  return { merchant, bankRef: made.value.bankRef };
}

async function instruct(subject: MandateSubject, { merchant, bankRef }: Approved, dueOn: string) {
  const txid = newSuffix();
  const request = { txid, bankRef, amount: 4_000, dueOn, note: 'Plano', isRepeat: false };
  const answer = await subject.acquirer.instruct(merchant, request);
  return { txid, said: answer.known ? 'instructed' : answer.why };
}

/** A debit that was instructed a week before its day. */
async function scheduled(subject: MandateSubject, dueOn: string) {
  const weekBefore = Temporal.PlainDate.from(dueOn).subtract({ days: 7 }).toString();
  const mandate = await approved(subject, { startsOn: weekBefore });
  return { ...mandate, ...(await instruct(subject, mandate, dueOn)) };
}

/** When it is asked, for which day, and what is said. */
const instructions = [
  ['2027-01-21 23:59', '2027-02-01', 'refused'],
  ['2027-01-22 00:00', '2027-02-01', 'instructed'],
  ['2027-01-30 23:59', '2027-02-01', 'instructed'],
  ['2027-01-31 00:00', '2027-02-01', 'refused'],
  ['2028-02-18 23:59', '2028-02-29', 'refused'],
  ['2028-02-19 00:00', '2028-02-29', 'instructed'],
  ['2028-02-27 23:59', '2028-02-29', 'instructed'],
  ['2028-02-28 00:00', '2028-02-29', 'refused'],
  ['2027-12-23 23:59', '2027-12-25', 'instructed'],
  ['2027-12-24 00:00', '2027-12-25', 'refused'],
] as const;

/** Two days of a mandate that lie in two of its cycles, or in one: then the second is refused. */
const cycles = [
  ['month', '2027-01-31', '2027-02-27', '2027-02-28', 'instructed'],
  ['month', '2027-01-31', '2027-02-28', '2027-03-01', 'refused'],
  ['month', '2028-01-31', '2028-02-28', '2028-02-29', 'instructed'],
  ['month', '2027-02-28', '2027-03-27', '2027-03-28', 'instructed'],
  ['month', '2027-02-28', '2027-03-28', '2027-03-31', 'refused'],
  ['week', '2027-02-01', '2027-02-07', '2027-02-08', 'instructed'],
  ['week', '2027-02-01', '2027-02-08', '2027-02-14', 'refused'],
  ['quarter', '2026-11-30', '2027-02-27', '2027-02-28', 'instructed'],
  ['half', '2026-08-31', '2027-02-27', '2027-02-28', 'instructed'],
  ['half', '2026-08-31', '2027-02-22', '2027-02-27', 'refused'],
  ['year', '2028-02-29', '2029-02-27', '2029-02-28', 'instructed'],
  ['year', '2028-02-29', '2029-02-28', '2029-03-05', 'refused'],
] as const;

const takenBack = [
  ['2027-02-01', '2027-01-31 21:59', 'cancelled'],
  ['2027-02-01', '2027-01-31 22:00', 'too_late'],
  ['2027-02-01', '2027-01-31 23:59', 'too_late'],
  ['2027-02-01', '2027-02-01 05:59', 'too_late'],
  ['2027-02-01', '2027-02-01 06:00', 'paid'],
  ['2028-03-01', '2028-02-29 21:59', 'cancelled'],
  ['2028-03-01', '2028-02-29 22:00', 'too_late'],
  ['2027-12-25', '2027-12-24 21:59', 'cancelled'],
  ['2027-12-25', '2027-12-24 22:00', 'too_late'],
] as const;

/** What is found at a moment of a debit that is paid, or has no money on its day. */
const found = [
  ['paid', '2027-02-01', '2027-02-01 05:59', 'scheduled'],
  ['paid', '2027-02-01', '2027-02-01 06:00', 'paid'],
  ['AM02', '2027-02-01', '2027-02-01 20:59', 'scheduled'],
  ['AM02', '2027-02-01', '2027-02-01 21:00', 'unpaid'],
  ['AM02', '2027-02-01', '2027-02-08 23:59', 'unpaid'],
  ['AM02', '2027-02-01', '2027-02-09 00:00', 'expired'],
  ['AM02', '2028-02-28', '2028-03-06 23:59', 'unpaid'],
  ['AM02', '2028-02-28', '2028-03-07 00:00', 'expired'],
  ['AC05', '2027-02-01', '2027-02-01 20:59', 'scheduled'],
  ['AC05', '2027-02-01', '2027-02-01 21:00', 'refused'],
] as const;

/** Of a debit without money: when a further try is asked for, and for which day. */
const retries = [
  ['2027-02-01', '2027-02-01 20:59', '2027-02-02', 'refused'],
  ['2027-02-01', '2027-02-01 21:00', '2027-02-02', 'asked'],
  ['2027-02-01', '2027-02-01 21:59', '2027-02-02', 'asked'],
  ['2027-02-01', '2027-02-01 22:00', '2027-02-02', 'refused'],
  ['2027-02-01', '2027-02-01 22:00', '2027-02-03', 'asked'],
  ['2027-02-01', '2027-02-01 23:59', '2027-02-08', 'asked'],
  ['2027-02-01', '2027-02-01 23:59', '2027-02-09', 'refused'],
  ['2027-02-01', '2027-02-07 21:59', '2027-02-08', 'asked'],
  ['2027-02-01', '2027-02-07 22:00', '2027-02-08', 'refused'],
  ['2028-02-28', '2028-02-28 21:00', '2028-02-29', 'asked'],
  ['2028-02-28', '2028-02-28 22:00', '2028-02-29', 'refused'],
  ['2028-02-28', '2028-02-28 22:00', '2028-03-06', 'asked'],
  ['2028-02-28', '2028-02-28 22:00', '2028-03-07', 'refused'],
  ['2027-12-25', '2027-12-31 21:59', '2028-01-01', 'asked'],
  ['2027-12-25', '2027-12-31 22:00', '2028-01-01', 'refused'],
] as const;

const banks = {
  "the sandbox's bank": async () => {
    const { acquirer, mandates, close } = await openSandboxBank();
    const subject: MandateSubject = {
      ...{ acquirer, newMerchant: async () => newMerchant(), afterReturn: async (merchant) => merchant },
      ...mandates,
    };
    return { subject, close };
  },
  'the fake PSP': () => openPsp('standard'),
};

describe.each(Object.entries(banks))('%s', (_, open) => {
  let bank: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    bank = await open();
  });
  afterAll(() => bank.close());

  test.each(instructions)('instructed at %s for %s: %s', async (moment, dueOn, expected) => {
    const { subject } = bank;
    const startsOn = Temporal.PlainDate.from(dueOn).subtract({ days: 20 }).toString();
    const { merchant, bankRef } = await approved(subject, { startsOn });
    const asked = await instruct(subject, { merchant: await at(subject, merchant, moment), bankRef }, dueOn);
    expect(asked.said).toBe(expected);
  });

  test.each(cycles)('by the %s from %s, %s and then %s: %s', async (period, startsOn, first, second, expected) => {
    const { subject } = bank;
    const { merchant, bankRef } = await approved(subject, { startsOn, period });
    const weekBefore = Temporal.PlainDate.from(first).subtract({ days: 5 }).toString();
    const mandate = { merchant: await at(subject, merchant, `${weekBefore} 12:00`), bankRef };
    expect((await instruct(subject, mandate, first)).said).toBe('instructed');
    expect((await instruct(subject, mandate, second)).said).toBe(expected);
  });

  test.each([
    ['2027-02-09', 'refused'],
    ['2027-02-10', 'instructed'],
  ])('of a mandate from 2027-02-10 on, a debit of %s: %s', async (dueOn, expected) => {
    const { subject } = bank;
    const { bankRef, merchant } = await approved(subject, { startsOn: '2027-02-10', madeOn: '2027-02-05' });
    const early = { merchant: await at(subject, merchant, '2027-02-05 12:00'), bankRef };
    expect((await instruct(subject, early, dueOn)).said).toBe(expected);
  });

  test.each(takenBack)('a debit of %s, taken back at %s: %s', async (dueOn, moment, expected) => {
    const { subject } = bank;
    const { merchant, txid } = await scheduled(subject, dueOn);
    expect(await saidBy(subject.acquirer.cancelDebit(await at(subject, merchant, moment), txid))).toBe(expected);
  });

  test.each(found)('a debit told %s, of %s, at %s: %s', async (outcome, dueOn, moment, expected) => {
    const { subject } = bank;
    const { merchant, txid } = await scheduled(subject, dueOn);
    await subject.decide(merchant, txid, outcome === 'paid' ? 'paid' : { code: outcome });
    const debit = await saidBy(subject.acquirer.findDebit(await at(subject, merchant, moment), txid));
    expect(debit).toMatchObject({ status: expected });
  });

  test.each(retries)('a debit of %s without money, asked for again at %s for %s: %s', async (...row) => {
    const [dueOn, moment, date, expected] = row;
    const { subject } = bank;
    const { merchant, txid } = await scheduled(subject, dueOn);
    await subject.decide(merchant, txid, { code: 'AM02' });
    const later = await at(subject, merchant, moment);
    expect(await saidBy(subject.acquirer.retryDebit(later, { txid, date }))).toBe(expected);
  });
});
