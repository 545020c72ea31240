import { useSpoken } from './language.ts';
import type { LookView } from './page-data.ts';

/** Who sells, and how to reach them. */
export function Shop({ name, look: { taxId, email, phone, privacy } }: { name: string; look: LookView }) {
  const { texts } = useSpoken();
  if (taxId === null && email === null && phone === null && privacy === null) return null;
  return (
    <footer class="shop">
      <p>
        {name}
        {taxId !== null && (
          <>
            {' – '}
            <span class="whole">{taxId}</span>
          </>
        )}
      </p>
      {(email !== null || phone !== null) && (
        <>
          <p>{texts.questions}</p>
          <ul>
            {email !== null && (
              <li>
                <a href={`mailto:${email}`}>{email}</a>
              </li>
            )}
            {phone !== null && (
              <li>
                <a class="whole" href={`tel:${phone.number}`}>
                  {phone.text}
                </a>
              </li>
            )}
          </ul>
        </>
      )}
      {privacy !== null && (
        <p>
          <a href={privacy} rel="noreferrer">
            {texts.consent.privacy}
          </a>
        </p>
      )}
    </footer>
  );
}
