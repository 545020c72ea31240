import { hydrate } from 'preact';
import { App } from './app.tsx';
import { readTyped } from './buyer.tsx';
import { portuguese, speak } from './language.ts';
import type { PageData } from './page-data.ts';
import './style/theme.css';
import './style/summary.css';
import './style/form.css';
import './style/payment.css';
import './style/screens.css';

async function takeOver(root: HTMLElement, sent: PageData): Promise<void> {
  const spoken = sent.language === 'en' ? speak('en', (await import('./texts/en.ts')).en) : portuguese;
  // On a slow network a buyer types before the script is there.
  hydrate(<App data={{ ...sent, typed: readTyped() ?? sent.typed }} spoken={spoken} />, root);
}

const root = document.getElementById('app');
const data = document.getElementById('data')?.textContent;
// The page of a message has neither.
if (root !== null && data != null) void takeOver(root, JSON.parse(data) as PageData);
