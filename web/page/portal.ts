import './style/portal.css';

const home = document.querySelector<HTMLElement>('main[data-home]')?.dataset.home;

/** The way back is known to this tab alone, by the page that is gone to: the address of a bill may be handed on, and this page must not. */
function rememberWay(page: string, home: string): void {
  try {
    sessionStorage.setItem(`back ${page}`, new URL(home, location.href).pathname);
  } catch {
    // A browser that stores nothing offers no way back.
  }
}

if (home !== undefined)
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-back]'))
    link.addEventListener('click', () => rememberWay(link.pathname, home));
