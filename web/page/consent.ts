import type { Spoken } from './language.ts';
import type { LookView, PurchaseView } from './page-data.ts';

type Agreed = Pick<
  PurchaseView,
  'kind' | 'merchant' | 'renewal' | 'amount' | 'dueAt' | 'isChargedLater' | 'cardFor' | 'methods'
>;

/** Whether a subscription is bought by what is paid: its buyer is asked once, on the page that sells it. */
export const asksConsent = ({ kind, renewal }: Pick<Agreed, 'kind' | 'renewal'>): boolean =>
  kind === 'session' && renewal !== null;

/** What whoever subscribes on a page agrees to (docs/product/payment-page.md#consent); null: nothing is subscribed to. */
export function consentText({ texts: { consent }, money, date }: Spoken, purchase: Agreed): string | null {
  const { merchant, renewal, amount, dueAt, isChargedLater = false, cardFor, methods } = purchase;
  if (renewal === null || !asksConsent(purchase)) return null;
  const renews = consent.renews(money(renewal.amount), renewal.every);
  const day = date(dueAt);
  if (!isChargedLater) {
    const byCard = methods.includes('card') ? [methods.length === 1 ? consent.card : consent.ifByCard] : [];
    return [consent.now(merchant, money(amount), renews), ...byCard, consent.cancel].join(' ');
  }
  const first = consent.on(money(amount), day);
  const told = cardFor === 'later' ? consent.later : consent.trial;
  const kept = cardFor === undefined ? [] : [consent.card];
  return [told(merchant, first, renews), ...kept, consent.cancelTrial(day)].join(' ');
}

/** What is stored of it: the sentences as they were read, and where terms and privacy policy stood then. */
export function storedConsent(
  language: Spoken,
  { purchase, look: { terms, privacy } }: { purchase: Agreed; look: Pick<LookView, 'terms' | 'privacy'> },
): string | null {
  const text = consentText(language, purchase);
  if (text === null) return null;
  const { consent } = language.texts;
  return [
    text,
    ...(terms === null ? [] : [`${consent.terms}: ${terms}`]),
    ...(privacy === null ? [] : [`${consent.privacy}: ${privacy}`]),
  ].join('\n');
}
