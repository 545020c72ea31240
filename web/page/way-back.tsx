import { useEffect, useState } from 'preact/hooks';

/** The page of the customer that led here, as the script of that page left it for this tab; null: none did. */
function wayBack(): string | null {
  try {
    const back = sessionStorage.getItem(`back ${location.pathname}`);
    return back !== null && /\/portal\/[\w-]+$/.test(back) ? back : null;
  } catch {
    // A browser that stores nothing offers no way back.
    return null;
  }
}

/** Back to the page of the customer; the server does not know of it. */
export function WayBack() {
  const [back, setBack] = useState<string | null>(null);
  useEffect(() => setBack(wayBack()), []);
  if (back === null) return null;
  return (
    <p class="note">
      <a href={back}>Voltar para minhas assinaturas</a>
    </p>
  );
}
