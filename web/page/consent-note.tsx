import { consentText } from './consent.ts';
import { useSpoken } from './language.ts';
import type { LookView, PurchaseView } from './page-data.ts';

interface ConsentProps {
  readonly purchase: PurchaseView;
  readonly look: Pick<LookView, 'terms' | 'privacy'>;
}

/** What whoever subscribes agrees to, and where it can be read in full. */
export function Consent({ purchase, look: { terms, privacy } }: ConsentProps) {
  const spoken = useSpoken();
  const text = consentText(spoken, purchase);
  const { consent } = spoken.texts;
  if (text === null) return null;
  const links = [
    [consent.terms, terms],
    [consent.privacy, privacy],
  ] as const;
  return (
    <p class="note consent">
      {text}
      {links.map(
        ([name, href]) =>
          href !== null && (
            <>
              {' '}
              <a key={name} href={href} target="_blank" rel="noreferrer">
                {name}
              </a>
            </>
          ),
      )}
    </p>
  );
}
