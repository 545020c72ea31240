import type fc from 'fast-check';
import type { Books } from '../books.ts';
import { judgeOutcome, same } from '../judge.ts';
import { CALM, CRASHED, IN_USE, OK, refused, UNKNOWN } from '../model.ts';
import type { Keyed, Run } from '../run.ts';
import type { Stage } from '../stage.ts';
import { witness } from '../witnesses.ts';
import { judgeDone, leftBy } from './command.ts';
import { type Answer, pick } from './deed.ts';

/** What became of the attempt or the part that a request left, as a repeat of it is answered. */
function outcomeOfAttempt({ attempts, parts, intents }: Books, id: string): string {
  const attempt = attempts.find((each) => each.id === id);
  if (attempt?.status === 'sent') return UNKNOWN;
  if (attempt !== undefined) return attempt.status === 'approved' ? OK : `CARD_DECLINED ${attempt.declineReason}`;
  const part = parts.find((each) => each.id === id);
  if (part === undefined) throw new Error(`${id} is neither an attempt nor a part`);
  // A PIX is answered before the bank is asked.
  if (intents.find(({ id: intent }) => intent === part.intentId)?.method === 'pix') return OK;
  return { refunding: UNKNOWN, refunded: OK, failed: 'REFUND_REFUSED' }[part.status];
}

/** So near to its end a lease may be over or not. */
const NEAR_SECONDS = 3;

const isNearItsEnd = ({ heldUntil }: Keyed, elapsed: number): boolean => Math.abs(heldUntil - elapsed) < NEAR_SECONDS;

/** The answer that the key stands for, with which nothing happens; null: the request runs anew. */
function keptAnswer({ answer, attempt, heldUntil }: Keyed, books: Books, elapsed: number): string | null {
  if (elapsed < heldUntil) return IN_USE;
  if (answer.code === OK || answer.code.startsWith('CARD_DECLINED')) return answer.code;
  return attempt === null ? null : outcomeOfAttempt(books, attempt);
}

/** A former request once more: under its key, perhaps at another process, or with none as a new request. */
export class Repeat implements fc.AsyncCommand<Run, Stage, true> {
  readonly nth: number;
  readonly way: 'here' | 'elsewhere' | 'unkeyed';

  constructor(nth: number, way: 'here' | 'elsewhere' | 'unkeyed') {
    this.nth = nth;
    this.way = way;
  }

  check = async (run: Readonly<Run>): Promise<boolean> => run.isOpen && run.requests.length > 0;

  async run(run: Run, stage: Stage): Promise<void> {
    const former = pick([...run.requests].reverse(), this.nth);
    if (former === null || (this.way !== 'unkeyed' && isNearItsEnd(former, stage.elapsed))) return;
    const { deed, of } = former;
    const kept = this.way === 'unkeyed' ? null : keptAnswer(former, run.books(of), stage.elapsed);
    const site = this.way === 'elsewhere' ? await stage.elsewhere() : stage;
    const answer = await deed.perform(site, this.way === 'unkeyed' ? null : former.key);
    const what = `${this} of ${deed.label} -> ${answer.code}`;
    if (kept === null) await this.#lookAnew(run, stage, { former, answer, what });
    else {
      witness(`repeat ${answer.code}`);
      const legal = refused(run.books(of), kept);
      await run.look(stage, {
        what,
        of,
        touches: 'one',
        judge: (change) => [...judgeOutcome(change, answer.code, legal), ...otherBody(former.answer, answer)],
      });
    }
    // A key that is held tells nothing of its request.
    if (this.way !== 'unkeyed' && answer.code !== IN_USE) former.answer = answer;
  }

  async #lookAnew(
    run: Run,
    stage: Stage,
    { former, answer, what }: { former: Keyed; answer: Answer; what: string },
  ): Promise<void> {
    const { deed, of } = former;
    const before = run.books(of);
    const isAgain = this.way !== 'unkeyed' && (former.answer.code === CRASHED || former.answer.code === UNKNOWN);
    const legal = (isAgain ? deed.again?.outcomes(before) : null) ?? deed.outcomes(before, CALM);
    await run.look(stage, {
      what,
      of,
      touches: 'one',
      judge: (change) => {
        if (this.way !== 'unkeyed' && answer.code === UNKNOWN) former.attempt = leftBy(deed, change);
        const found = judgeOutcome(change, answer.code, legal);
        return [...found, ...judgeDone(change, [{ deed, answer }])];
      },
    });
  }

  toString(): string {
    return `repeat ${this.nth} ${tellWay[this.way]}`;
  }
}

const tellWay = { here: 'under its key', elsewhere: 'under its key at another process', unkeyed: 'without a key' };

/** A repeat is answered with what was answered first, to the letter. */
export const otherBody = (former: Answer, answer: Answer): string[] =>
  former.code !== OK || answer.code !== OK || same(former.body, answer.body)
    ? []
    : ['the repeat was answered otherwise'];
