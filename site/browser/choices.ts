/** What a reader chose last is kept in the browser; one that keeps nothing shows what is usual. */
function remembered(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function remember(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // It holds for this page alone.
  }
}

const root = document.documentElement;

/** The button that turns the colors around. */
export function showTheme(): void {
  const button = document.querySelector<HTMLButtonElement>('#theme');
  if (button === null) return;
  const chosen = remembered('fatura-theme');
  if (chosen !== null) root.dataset.theme = chosen;
  button.hidden = false;
  button.addEventListener('click', () => {
    const isDark =
      (root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : '')) === 'dark';
    root.dataset.theme = isDark ? 'light' : 'dark';
    remember('fatura-theme', root.dataset.theme);
  });
}

/** Without a script every sample is shown in every language; with one, in the language chosen. */
export function showCodeLanguage(): void {
  const select = document.querySelector<HTMLSelectElement>('#code-language');
  const label = select?.closest('label');
  if (!select || !label) return;
  label.hidden = document.querySelector('[data-language]') === null;
  select.value = remembered('fatura-code') ?? 'curl';
  if (select.selectedIndex < 0) select.value = 'curl';
  root.dataset.code = select.value;
  select.addEventListener('change', () => {
    root.dataset.code = select.value;
    remember('fatura-code', select.value);
  });
}
