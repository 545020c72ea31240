import { timingSafeEqual } from 'node:crypto';
import type { LinkedPage, Links } from '../kernel/links.ts';
import type { SecretBox } from './secret-box.ts';

/** The path that pages are under, and what their signatures permit: one for a page is good for no other. */
const pages: Readonly<Record<LinkedPage, { readonly path: string; readonly purpose: string }>> = {
  invoice: { path: 'pay', purpose: 'payment-link' },
  session: { path: 'checkout', purpose: 'checkout-link' },
  subscription: { path: 'subscription', purpose: 'subscription-link' },
  confirmation: { path: 'confirm', purpose: 'confirmation-link' },
};

/** One object is shown several times while it is worked on: in each of its events, and in the answer. */
const KEPT_MAX = 1_000;

/** Makes links below `publicUrl`, each with a signature that only the service makes. */
export function createLinks({ secretBox, publicUrl }: { secretBox: SecretBox; publicUrl: string }): Links {
  const sign = (page: LinkedPage, id: string): string =>
    secretBox.fingerprint([pages[page].purpose, id]).toString('base64url');
  const made = new Map<string, string>();
  const linkTo = (page: LinkedPage, id: string): string => {
    const path = `${pages[page].path}/${id}`;
    const known = made.get(path);
    if (known !== undefined) return known;
    if (made.size >= KEPT_MAX) made.clear();
    const link = `${publicUrl}/${path}/${sign(page, id)}`;
    made.set(path, link);
    return link;
  };
  return {
    host: new URL(publicUrl).hostname,
    payment: (invoiceId) => linkTo('invoice', invoiceId),
    receipt: (invoiceId) => `${linkTo('invoice', invoiceId)}/receipt`,
    checkout: (sessionId) => linkTo('session', sessionId),
    updatePayment: (subscriptionId) => linkTo('subscription', subscriptionId),
    confirmation: (customerId) => linkTo('confirmation', customerId),
    logo: (digest) => `${publicUrl}/logos/${digest}`,
    isGenuine(page, { id, signature }) {
      const expected = Buffer.from(sign(page, id));
      const given = Buffer.from(signature);
      return expected.length === given.length && timingSafeEqual(expected, given);
    },
  };
}
