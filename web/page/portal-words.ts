import type { Problem } from './page-data.ts';
import type { PortalCardView, PortalMethod, PortalSubscriptionView } from './portal-data.ts';
import type { PortalSpoken } from './portal-language.ts';
import { brandNames, problemText } from './texts.ts';

export const portalProblemText = ({ words, texts }: PortalSpoken, problem: Problem): string =>
  words.problems[problem.code] ?? problemText(texts, problem);

/** `Visa final 4242` */
export const cardName = (
  { words: { methods } }: PortalSpoken,
  { brand, last4 }: Pick<PortalCardView, 'brand' | 'last4'>,
): string =>
  [brand === null ? methods.card : brandNames[brand], ...(last4 === null ? [] : [methods.ending(last4)])].join(' ');

export function methodName(spoken: PortalSpoken, paidBy: PortalMethod): string {
  if (paidBy.method === 'pix') return spoken.words.methods.byPix;
  return paidBy.method === 'card' ? cardName(spoken, paidBy) : spoken.texts.methodNames.pix_automatico;
}

/** What becomes of it next, in a sentence; null: nothing by itself. */
export function nextText(
  { words: { subscription: words }, date, money }: PortalSpoken,
  { status, next, cancelAt, endedAt, pausesAt }: PortalSubscriptionView,
): string | null {
  if (endedAt !== null) return words.ended(date(endedAt));
  if (cancelAt !== null) return words.canceled(date(cancelAt));
  if (pausesAt !== null && status === 'active') return words.pausesOn(date(pausesAt));
  if (next === null) return null;
  const amount = next.amount === 0 ? words.nothing : money(next.amount);
  return (status === 'trialing' ? words.first : words.next)(amount, date(next.at));
}

/** What a cancellation means, before it is confirmed. */
export function cancelText(
  { words: { subscription: words }, date, money }: PortalSpoken,
  { end, status }: PortalSubscriptionView,
): string {
  if (end === null) return '';
  const cost = end.penalty > 0 ? words.penalty(money(end.penalty)) : words.free;
  return words.until(status === 'trialing', date(end.at)) + cost + words.takeBack;
}
