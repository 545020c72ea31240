import type { Deps } from '../../server/deps.ts';
import { QrsInTheWay } from '../../server/payments/pix/ending.ts';

type Boundary = 'before ask' | 'after ask' | 'before transaction' | 'before commit' | 'after commit' | 'after send';

/** What a use case has just done, or is about to do, in a function of the service. */
interface Step {
  readonly boundary: Boundary;
  /** The function that asks, or runs the transaction, and its callers where it alone does not tell the step. */
  readonly by: readonly string[];
  /** Whether it is the step, by what the transaction answers. */
  readonly when?: (answer: unknown) => boolean;
}

const before = (act: 'ask' | 'transaction' | 'commit', ...by: string[]): Step => ({ boundary: `before ${act}`, by });
const after = (act: 'ask' | 'commit' | 'send', ...by: string[]): Step => ({ boundary: `after ${act}`, by });
const has = (key: string) => (answer: unknown) => typeof answer === 'object' && answer !== null && key in answer;

/** The steps at which a test may stop the service: each lies at an end of a transaction, or of a call of an acquirer or mail server. */
const steps = {
  'card.after-attempt': [before('ask', 'sendAttempt')],
  'card.after-charge': [after('ask', 'sendAttempt')],
  'card.after-outcome': [after('commit', 'seeThrough')],
  'card.after-tokenize': [after('ask', 'tokenizeCard')],
  'card.after-verify': [after('ask', 'verifyCard')],
  'debit.after-asking': [after('ask', 'askForRetry')],
  'debit.after-cancelling': [after('ask', 'endDebit')],
  'debit.after-instructing': [after('ask', 'instructDebit')],
  'debit.before-asking': [before('ask', 'askForRetry')],
  'debit.before-instructing': [before('ask', 'instructDebit')],
  'ending.after-acquirer': [after('ask', 'endQrAtAcquirer', 'endingQrs')],
  'ending.after-retiring': [{ ...after('commit', 'endingQrs'), when: (answer) => answer instanceof QrsInTheWay }],
  'expiry.after-commit': [{ ...after('commit', 'endingQrs', 'closing'), when: has('answer') }],
  'expiry.before-commit': [{ ...before('commit', 'endingQrs', 'closing'), when: has('answer') }],
  'mail.after-send': [after('send')],
  'mandate.after-looking': [after('ask', 'lookAtAcquirer')],
  'mandate.after-making': [after('ask', 'finishMandate')],
  'mandate.after-placing': [after('ask', 'place')],
  'mandate.after-telling': [after('ask', 'tellEnd')],
  'mandate.before-making': [before('ask', 'finishMandate')],
  'mandate.before-placing': [before('ask', 'place')],
  'pix.after-acquirer': [after('ask', 'createQr')],
  'pix.after-intent': [before('ask', 'createQr')],
  'reconciliation.after-asking': [after('ask', 'findCharge')],
  'refund.after-acquirer': [after('ask', 'askCard', 'createRefund')],
  'refund.after-asking': [{ ...after('commit', 'createRefund'), when: has('charge') }],
  'refund.after-booking': [{ ...after('commit', 'createRefund'), when: has('kind') }],
  'removal.emptied': [{ ...before('commit', 'removeCustomer'), when: (answer) => answer === 'removed' }],
  'removal.found': [before('transaction', 'removeCustomer')],
  'renewal.after-opening': ['billAhead', 'renewByCard'].map((by) => ({
    ...after('commit', by),
    when: (answer) => answer !== null,
  })),
  'reset.emptied': [before('commit', 'empty', 'resetTestClock')],
  'reset.held': [after('commit', 'resetTestClock')],
  'return.after-asking': [after('ask', 'askForReturn')],
  'return.after-booking': [after('commit', 'bookCompletion'), after('commit', 'bookRefusal')],
  'session.after-commit': [after('commit', 'createSession'), after('commit', 'attachBuyer')],
  'session.before-commit': [before('commit', 'createSession'), before('commit', 'attachBuyer')],
  'settlement.after-booking': [after('commit', 'actAtBank')],
  'settlement.after-returns': [after('commit', 'bookReturns')],
  'settlement.after-settle': [after('commit', 'handleNotice')],
  'settlement.before-settle': [after('ask', 'handleNotice')],
  'settlement.between-payments': [after('commit', 'bookFirst')],
} as const satisfies Record<string, readonly Step[]>;

export type FailpointName = keyof typeof steps;

/** Called at each step that is reached. */
export type Failpoint = (name: FailpointName) => Promise<void>;

const FRAMES_MAX = 40;
/** A named frame of a function of the service. */
const FRAME = /^\s+at (?:async )?(?:\w+\.)?(\w+)(?: \[as \w+\])? \(.*\/server\/(?!unit-of-work\/)/;

/** The functions of the service that are being run, the innermost first. */
function callers(): readonly string[] {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES_MAX;
  const { stack = '' } = new Error('its stack is read');
  Error.stackTraceLimit = limit;
  return stack.split('\n').flatMap((line) => FRAME.exec(line)?.[1] ?? []);
}

/** Reports the steps that the use cases of these dependencies come to. */
export function reportSteps(deps: Deps, failpoint: Failpoint): void {
  const at = async (boundary: Boundary, by: readonly string[], answer?: unknown): Promise<void> => {
    for (const [name, of] of Object.entries<readonly Step[]>(steps)) {
      const isReached = of.some(
        (step) =>
          step.boundary === boundary &&
          step.by.every((caller, depth) => by[depth] === caller) &&
          (step.when?.(answer) ?? true),
      );
      // A key of the object is a name of its type.
      if (isReached) await failpoint(name as FailpointName);
    }
  };
  const { transaction, ask, mailer } = deps;
  const reported: Pick<Deps, 'transaction' | 'grouped' | 'ask' | 'mailer'> = {
    grouped: (scope, _of, work) => reported.transaction(scope, work),
    async transaction(scope, work) {
      const by = callers();
      await at('before transaction', by);
      const answer = await transaction(scope, async (tx) => {
        const result = await work(tx);
        await at('before commit', by, result);
        return result;
      });
      await at('after commit', by, answer);
      return answer;
    },
    async ask(...asked) {
      const by = callers();
      await at('before ask', by);
      const answer = await ask(...asked);
      await at('after ask', by);
      return answer;
    },
    mailer: mailer && {
      ...mailer,
      async send(mail) {
        const outcome = await mailer.send(mail);
        await at('after send', []);
        return outcome;
      },
    },
  };
  Object.assign(deps, reported);
}

/** Steps of the use cases at which a test ends the process, or does something in between. */
export class Failpoints {
  #work = new Map<FailpointName, () => Promise<void>>();

  /** For `startApi`. */
  readonly hook: Failpoint = async (name) => {
    const work = this.#work.get(name);
    this.#work.delete(name);
    await work?.();
  };

  /** The next use case that comes to this step ends there, as if the process had. */
  crashAt(name: FailpointName): void {
    this.#work.set(name, async () => {
      throw new Error(`crashed at ${name}`);
    });
  }

  /** The next use case that comes to this step waits until the work is done. */
  meanwhile(name: FailpointName, work: () => Promise<unknown>): void {
    this.#work.set(name, async () => {
      await work();
    });
  }
}
