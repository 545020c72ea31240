import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { civilDay, isoDate } from '../../../server/kernel/brazil.ts';
import { newSuffix } from '../../../server/kernel/ids.ts';
import { HOUR } from '../../../server/kernel/time.ts';
import type { MandateSubject } from '../../../server/payments/acquirer/conformance.ts';
import type { Merchant } from '../../../server/payments/acquirer/port.ts';
import { newMerchant, openSandboxBank, type SandboxBank } from '../sandbox/sandbox-bank.ts';
import { type OpenMandatePsp, openPsp, saidBy } from './mandate-psp.ts';

/** Two banks that share no code, told the same, must tell the same: that of the sandbox, and the fake PSP behind its adapter. */

const RUNS = Number(process.env.PROPERTY_RUNS ?? 200);
const RUNS_MS = 1_000 * RUNS;

const some = fc.nat({ max: 2 });
const mandate = fc.record({
  do: fc.constant('mandate' as const),
  inDays: fc.nat({ max: 12 }),
  period: fc.constantFrom('week' as const, 'month' as const, 'quarter' as const),
});
const approve = fc.record({ do: fc.constant('approve' as const), which: some });
const instruct = fc.record({
  do: fc.constant('instruct' as const),
  which: some,
  inDays: fc.integer({ min: 1, max: 11 }),
});
const decide = fc.record({
  do: fc.constant('decide' as const),
  which: some,
  outcome: fc.constantFrom('paid' as const, { code: 'AM02' }, { code: 'AM02' }, { code: 'AM02' }, { code: 'AC05' }),
});
const act = fc.oneof(
  { weight: 1, arbitrary: mandate },
  { weight: 1, arbitrary: approve },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('reject' as const, 'cancel' as const), which: some }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      which: some,
      by: fc.constantFrom('payer' as const, 'payer_bank' as const),
    }),
  },
  { weight: 4, arbitrary: instruct },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('take_back' as const), which: some }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('retry' as const), which: some, inDays: fc.nat({ max: 9 }) }) },
  { weight: 4, arbitrary: decide },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      days: fc.nat({ max: 4 }),
      until: fc.constantFrom(5, 6, 20, 21, 22),
    }),
  },
);
type Act = typeof act extends fc.Arbitrary<infer One> ? One : never;

let bank: SandboxBank;
let psp: OpenMandatePsp;

beforeAll(async () => {
  [bank, psp] = await Promise.all([openSandboxBank(), openPsp('standard')]);
});
afterAll(() => Promise.all([bank.close(), psp.close()]));

const sandbox = (): MandateSubject => ({
  acquirer: bank.acquirer,
  newMerchant: async () => newMerchant(),
  afterReturn: async (merchant) => merchant,
  ...bank.mandates,
});

/** A month's end lies near, where months are counted in more than one way. */
const DAY_HOURS = 24;
const FIRST_DAY = '2027-01-20';

/** One bank, and what was made there, in the order in which it was. */
class Side {
  private merchant: Merchant;
  private readonly mandates: string[] = [];
  private readonly debits: string[] = [];
  private readonly of: MandateSubject;

  private constructor(of: MandateSubject, merchant: Merchant) {
    this.of = of;
    this.merchant = merchant;
  }

  static async open(of: MandateSubject): Promise<Side> {
    return new Side(of, await of.at(await of.newMerchant(), FIRST_DAY, 0));
  }

  /** What is told of an act. */
  async tell(act: Act, { hours, txid }: { hours: number; txid: string }): Promise<unknown> {
    const day = isoDate(civilDay(FIRST_DAY).from + hours * HOUR);
    this.merchant = await this.of.at(this.merchant, day, hours % 24);
    return this.perform(act, { day, txid });
  }

  private async perform(act: Act, { day, txid }: { day: string; txid: string }): Promise<unknown> {
    const { acquirer } = this.of;
    const later = (days: number): string => Temporal.PlainDate.from(day).add({ days }).toString();
    if (act.do === 'wait') return null;
    if (act.do === 'mandate') return this.make(later(act.inDays), act.period);
    const isOfDebit = act.do === 'take_back' || act.do === 'retry' || act.do === 'decide';
    const made = isOfDebit ? this.debits : this.mandates;
    const one = made[act.which % Math.max(1, made.length)];
    if (one === undefined) return 'nothing there';
    switch (act.do) {
      case 'approve':
        return ifPossible(this.of.approve(this.merchant, one));
      case 'reject':
        return ifPossible(this.of.reject(this.merchant, one));
      case 'end':
        return ifPossible(this.of.endAtBank(this.merchant, one, act.by));
      case 'cancel':
        return saidBy(acquirer.cancelMandate(this.merchant, one));
      case 'take_back':
        return saidBy(acquirer.cancelDebit(this.merchant, one));
      case 'retry':
        return saidBy(acquirer.retryDebit(this.merchant, { txid: one, date: later(act.inDays) }));
      case 'decide':
        return this.decide(one, act.outcome);
      case 'instruct': {
        const request = { txid, bankRef: one, amount: 4_000, dueOn: later(act.inDays), note: 'Plano', isRepeat: false };
        const answer = await acquirer.instruct(this.merchant, request);
        if (answer.known) this.debits.push(txid);
        return answer.known ? 'instructed' : answer.why;
      }
    }
  }

  private async make(startsOn: string, period: 'week' | 'month' | 'quarter'): Promise<string> {
    const { acquirer } = this.of;
    const place = String(await saidBy(acquirer.placeMandate(this.merchant)));
    const terms = { contract: newSuffix(), title: 'Plano', debtor: { name: 'Maria', document: '52998224725' } };
    const none = { firstTxid: null, fixed: null, minimum: null, isRepeat: false };
    const made = await acquirer.createMandate(this.merchant, { place, ...terms, startsOn, period, ...none });
    if (made.known) this.mandates.push(made.value.bankRef);
    return made.known ? 'made' : made.why;
  }

  private async decide(txid: string, outcome: 'paid' | { readonly code: string }): Promise<unknown> {
    const found = await this.of.acquirer.findDebit(this.merchant, txid);
    if (!found.known || found.value?.status !== 'scheduled') return 'nothing to decide';
    return this.of.decide(this.merchant, txid, outcome);
  }

  /** All that the bank tells, without names of its own. */
  async books(): Promise<unknown> {
    const { acquirer } = this.of;
    const mandates: unknown[] = [];
    for (const bankRef of this.mandates) {
      const found = await acquirer.findMandate(this.merchant, { place: '', bankRef });
      mandates.push(found.known && found.value !== null ? [found.value.status, found.value.endedBy] : found);
    }
    const debits: unknown[] = [];
    for (const txid of this.debits) {
      const found = await acquirer.findDebit(this.merchant, txid);
      if (!found.known || found.value === null) throw new Error(`${txid} is lost`);
      const { status, tries, payments } = found.value;
      debits.push({ status, tries, paid: payments.map(({ amount }) => amount) });
    }
    return { mandates, debits };
  }
}

/** What a buyer cannot do is not done, and each bank has words of its own for it. */
const ifPossible = (done: Promise<void>): Promise<null> =>
  done.then(
    () => null,
    () => null,
  );

/** Hours since the first day began: the next time that it is an hour of a day, and so many days more. */
const hourAfter = (hours: number, { days, until }: { days: number; until: number }): number =>
  hours + ((until - (hours % DAY_HOURS) + DAY_HOURS) % DAY_HOURS) + days * DAY_HOURS;

/** Most lives begin with a debit, since only then anything of it can go on. */
const lives = fc
  .tuple(fc.tuple(mandate, approve, instruct, decide), fc.array(act, { minLength: 5, maxLength: 40 }))
  .map(([first, then]): Act[] => [...first, ...then]);

test(
  'the bank of the sandbox and the fake PSP tell the same of the same life',
  async () => {
    const life = fc.asyncProperty(lives, async (acts) => {
      const [one, other] = [await Side.open(sandbox()), await Side.open(psp.subject)];
      let hours = 12;
      for (const [at, each] of acts.entries()) {
        if (each.do === 'wait') hours = hourAfter(hours, each);
        const told = { hours, txid: newSuffix() };
        const said = [await one.tell(each, told), await other.tell(each, told)];
        expect(said[0], `act ${at}`).toEqual(said[1]);
        expect(await one.books(), `books after act ${at}`).toEqual(await other.books());
      }
    });
    await fc.assert(life, { numRuns: RUNS });
  },
  RUNS_MS,
);
