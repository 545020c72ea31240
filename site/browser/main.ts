import './style.css';
import { showCodeLanguage, showTheme } from './choices.ts';
import { copyOnClick } from './copy.ts';
import { openSearch } from './search.ts';
import { tryOperations } from './try.ts';

/** Phones show the page before its menu. */
const PHONE = '(max-width: 60rem)';

const menu = document.querySelector<HTMLDetailsElement>('nav > details');
if (menu !== null && matchMedia(PHONE).matches) menu.open = false;

document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest' });

/** The same place in the other language: codes and operations have the same name there. */
const otherLanguage = document.querySelector<HTMLAnchorElement>('header a[hreflang]');
otherLanguage?.addEventListener('click', () => {
  otherLanguage.hash = location.hash;
});

showTheme();
showCodeLanguage();
copyOnClick();
openSearch();
tryOperations();
