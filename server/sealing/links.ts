import { timingSafeEqual } from 'node:crypto';
import type { Linked, LinkedPage, Links } from '../kernel/links.ts';
import { MODES, type Mode, modeOf } from '../kernel/mode.ts';
import type { SecretBox } from './secret-box.ts';

/** The path that pages are under, and what their signatures permit: one for a page is good for no other. */
const pages: Readonly<Record<LinkedPage, { readonly path: string; readonly purpose: string }>> = {
  invoice: { path: 'pay', purpose: 'payment-link' },
  session: { path: 'checkout', purpose: 'checkout-link' },
  subscription: { path: 'subscription', purpose: 'subscription-link' },
  payment_link: { path: 'link', purpose: 'sale-link' },
  price: { path: 'buy', purpose: 'price-link' },
  confirmation: { path: 'confirm', purpose: 'confirmation-link' },
  mail: { path: 'mail', purpose: 'letter-link' },
  unsubscription: { path: 'unsubscribe', purpose: 'unsubscription-link' },
  export: { path: 'exports', purpose: 'export-link' },
};

/** What a link of a page ends in, or goes on from. */
const SIGNED = new RegExp(
  `(/(?:${Object.values(pages)
    .map(({ path }) => path)
    .join('|')})/[a-z]+_[0-9a-z]{26}/)[\\w-]+`,
  'g',
);

/** What opens the page of a customer. */
const SECRET = /(\/portal\/)[\w-]{43,}/g;

/** A text with links of pages as they stood there, but for what makes them lead anywhere. */
export const withoutSignatures = (text: string): string => text.replaceAll(SIGNED, '$1***').replaceAll(SECRET, '$1***');

/** One object is shown several times while it is worked on: in each of its events, and in the answer. */
const KEPT_MAX = 1_000;

/** Makes links below `publicUrl`, each with a signature that only the service makes. */
export function createLinks({ secretBox, publicUrl }: { secretBox: SecretBox; publicUrl: string }): Links {
  const sign = (page: LinkedPage, id: string, mode: Mode): string =>
    secretBox.fingerprint([pages[page].purpose, mode, id]).toString('base64url');
  const made = new Map<string, string>();
  const linkTo = (page: LinkedPage, of: Linked): string => {
    const path = `${pages[page].path}/${of.id}`;
    const known = made.get(path);
    if (known !== undefined) return known;
    if (made.size >= KEPT_MAX) made.clear();
    const link = `${publicUrl}/${path}/${sign(page, of.id, modeOf(of))}`;
    made.set(path, link);
    return link;
  };
  return {
    host: new URL(publicUrl).hostname,
    payment: (invoice) => linkTo('invoice', invoice),
    receipt: (invoice) => `${linkTo('invoice', invoice)}/receipt`,
    checkout: (session) => linkTo('session', session),
    sale: (link) => linkTo('payment_link', link),
    saleOf: (price) => linkTo('price', price),
    updatePayment: (subscription) => linkTo('subscription', subscription),
    confirmation: (customer) => linkTo('confirmation', customer),
    letter: (mail) => linkTo('mail', mail),
    unsubscription: (customer) => linkTo('unsubscription', customer),
    portal: (secret) => [publicUrl, 'portal', ...(secret === undefined ? [] : [secret])].join('/'),
    exportFile: (exported) => linkTo('export', exported),
    logo: (digest) => `${publicUrl}/logos/${digest}`,
    modeOf(page, { id, signature }) {
      const given = Buffer.from(signature);
      const isOf = (mode: Mode): boolean => {
        const expected = Buffer.from(sign(page, id, mode));
        return expected.length === given.length && timingSafeEqual(expected, given);
      };
      return MODES.find(isOf) ?? null;
    },
  };
}
