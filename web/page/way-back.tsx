import { useEffect, useState } from 'preact/hooks';
import { useSpoken } from './language.ts';

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
  const { texts, again } = useSpoken();
  const [back, setBack] = useState<string | null>(null);
  useEffect(() => {
    const way = wayBack();
    // The language that was asked for in an address is asked for there, too.
    setBack(way !== null && new URLSearchParams(location.search).has('locale') ? way + again : way);
  }, [again]);
  if (back === null) return null;
  return (
    <p class="note">
      <a href={back}>{texts.toPortal}</a>
    </p>
  );
}
