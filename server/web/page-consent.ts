import type { Request } from 'express';
import { asksConsent, storedConsent } from '../../web/page/consent.ts';
import { spoken } from '../../web/page/spoken.ts';
import { readLook } from '../accounts/look.ts';
import type { Deps } from '../deps.ts';
import { realTimeMs } from '../kernel/time.ts';
import { type ShownConsent, showConsent } from '../subscriptions/consent.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { languageOf } from './page-language.ts';
import { type Purchase, viewPurchase } from './purchase.ts';

/** What the buyer of a page agrees to by going on; null: nothing is subscribed to there. */
export async function consentShown(
  deps: Pick<Deps, 'pool' | 'clock'>,
  request: Request,
  purchase: Purchase,
): Promise<ShownConsent | null> {
  if (!asksConsent(purchase)) return null;
  const { scope } = purchase;
  const look = await readLook(deps.pool, scope);
  const view = viewPurchase(purchase, { now: deps.clock.now(scope), readAtMs: realTimeMs() });
  const links = { terms: look.termsUrl, privacy: look.privacyUrl };
  const text = storedConsent(spoken[languageOf(request)], { purchase: view, look: links });
  return text === null ? null : { text, ip: request.ip ?? '' };
}

/** Keeps it before anything is paid that begins the subscription. */
export async function keepConsent(
  deps: Deps,
  scope: Scope,
  { request, purchase }: { request: Request; purchase: Purchase },
): Promise<void> {
  const { subscriptionId } = purchase;
  if (subscriptionId === null) return;
  const shown = await consentShown(deps, request, purchase);
  if (shown !== null) await showConsent(deps, scope, { subscriptionId, shown });
}
