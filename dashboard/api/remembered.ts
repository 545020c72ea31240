/** What a browser keeps of its person's choices. */
type Remembered = 'language' | 'theme';

const nameOf = (what: Remembered): string => `fatura.${what}`;

/** Null where nothing was chosen, or where the browser keeps nothing. */
export function recall(what: Remembered): string | null {
  try {
    return localStorage.getItem(nameOf(what));
  } catch {
    return null;
  }
}

export function remember(what: Remembered, value: string): void {
  try {
    localStorage.setItem(nameOf(what), value);
  } catch {
    // A browser that keeps nothing shows the choice until it is closed.
  }
}
