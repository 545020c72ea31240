import type { LookView } from './page-data.ts';

/** Who sells, and how to reach them. */
export function Shop({ name, look: { taxId, email, phone } }: { name: string; look: LookView }) {
  if (taxId === null && email === null && phone === null) return null;
  return (
    <footer class="shop">
      <p>{taxId === null ? name : `${name} – ${taxId}`}</p>
      {(email !== null || phone !== null) && (
        <>
          <p>Dúvidas? Fale com a loja:</p>
          <ul>
            {email !== null && (
              <li>
                <a href={`mailto:${email}`}>{email}</a>
              </li>
            )}
            {phone !== null && (
              <li>
                <a href={`tel:${phone.number}`}>{phone.text}</a>
              </li>
            )}
          </ul>
        </>
      )}
    </footer>
  );
}
