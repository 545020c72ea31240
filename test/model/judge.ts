import { isDeepStrictEqual } from 'node:util';
import type { Invoice } from '../../sdk/src/generated/types.ts';
import { type Books, isAsked, isUnchanged } from './books.ts';
import type { Answer, Deed } from './commands/deed.ts';
import { CRASHED, OK, type Outcome, STORM, type Weather } from './model.ts';
import { isPayable, standingOf, tell } from './standing.ts';

/** A deed with what was answered. */
export interface Done {
  readonly deed: Deed;
  readonly answer: Answer;
}

/** What one moment of rest became by what was done. */
export interface Change {
  readonly before: Books;
  readonly after: Books;
}

export const same = (one: unknown, other: unknown): boolean => isDeepStrictEqual(one, other);

/** All that may come of a deed that may end at any step: its standing is one of those on the way. */
function withCrashes(deed: Deed, before: Books, weather: Weather): Outcome[] | null {
  const legal = deed.outcomes(before, weather);
  const stormy = deed.outcomes(before, STORM);
  if (legal === null || stormy === null) return null;
  const standings = [standingOf(before), ...stormy.map(({ standing }) => standing)];
  return [...legal, ...standings.map((standing) => ({ code: CRASHED, standing }))];
}

/** The outcomes of one deed alone. */
export const outcomesOf = (
  deed: Deed,
  before: Books,
  { weather, mayCrash }: { weather: Weather; mayCrash: boolean },
): Outcome[] | null => (mayCrash ? withCrashes(deed, before, weather) : deed.outcomes(before, weather));

/** Whether the answer and the standing are one of the legal pairs; null outcomes leave it to the invariants. */
export function judgeOutcome({ before, after }: Change, code: string, legal: readonly Outcome[] | null): string[] {
  if (legal === null) return [];
  const standing = standingOf(after);
  const met = legal.find((outcome) => outcome.code === code && same(outcome.standing, standing));
  if (met === undefined)
    return [
      `answered ${code} and left: ${tell(standing)}`,
      ...legal.map((outcome) => `legal were: ${outcome.code} that leaves: ${tell(outcome.standing)}`),
    ];
  if (met.isUntouched === true && !isUnchanged(before, after)) return [`${code} changed something`];
  return [];
}

/** What a deed may be answered when it is done alone. */
export const codesOf = (deed: Deed, books: Books, weather: Weather): string[] =>
  (deed.outcomes(books, weather) ?? [{ code: OK }]).map(({ code }) => code);

const added = <Row>(before: readonly Row[], after: readonly Row[]): number => after.length - before.length;

const TRIED: Partial<Record<Deed['kind'], (code: string) => boolean>> = {
  card: (code) => code === OK || code === 'ACQUIRER_TIMEOUT' || code.startsWith('CARD_DECLINED'),
  refund: (code) => code === OK || code === 'ACQUIRER_TIMEOUT' || code === 'REFUND_REFUSED',
};

/** One attempt, or one part, for each answer that tells of one, and none for a refusal; a crash may leave one untold. */
export function judgeCounts({ before, after }: Change, done: readonly Done[]): string[] {
  const rows = {
    card: added(before.attempts, after.attempts),
    refund: added(before.parts.filter(isAsked), after.parts.filter(isAsked)),
  };
  return (['card', 'refund'] as const).flatMap((kind) => {
    const answers = done.filter(({ deed }) => deed.kind === kind).map(({ answer }) => answer.code);
    const told = answers.filter((code) => TRIED[kind]?.(code)).length;
    const untold = answers.filter((code) => code === CRASHED).length;
    const made = rows[kind];
    return made >= told && made <= told + untold ? [] : [`${made} new rows for ${told} answers of kind ${kind}`];
  });
}

/** What an answer promises of the books, whoever else acted at the same moment. */
export function judgePromise({ before, after }: Change, { deed, answer }: Done): string[] {
  const { status } = after.invoice;
  const lie = (isTrue: boolean, why: string): string[] =>
    isTrue ? [] : [`${deed.label} was answered ${answer.code}: ${why}`];
  const isOk = answer.code === OK;
  if (deed.kind === 'card' && isOk) return lie(standingOf(after).settledBy === 'card', `the invoice is ${status}`);
  if (deed.kind === 'card' && answer.code.startsWith('CARD_DECLINED')) {
    const reason = answer.code.split(' ')[1];
    const fresh = after.attempts.slice(before.attempts.length);
    return lie(
      fresh.some(({ declineReason }) => declineReason === reason),
      'no attempt was declined so',
    );
  }
  if (answer.code === 'PIX_PAYMENT_CONFIRMED') return lie(after.payments.length > 0, 'nobody paid a QR code');
  if (answer.code === 'INVOICE_NOT_OPEN') return lie(!isPayable({ invoice: status }), `it is ${status}`);
  if (deed.kind === 'pix' && isOk)
    return lie(
      after.qrs.some(({ isHandedOut }) => isHandedOut),
      'there is no QR code',
    );
  return [];
}

const isInvoice = (body: unknown): body is Invoice =>
  typeof body === 'object' && body !== null && 'object' in body && body.object === 'invoice';

/** Amounts of an invoice as an answer shows it. */
export function judgeView(body: unknown): string[] {
  if (!isInvoice(body)) return [];
  const { total, amount_due: due, amount_paid: paid, amount_remaining: remaining, amount_refunded: refunded } = body;
  const isTrue = total === due && total === paid + remaining && refunded >= 0 && refunded <= paid;
  return isTrue ? [] : [`the answer shows amounts that do not add up: ${JSON.stringify(body)}`];
}
