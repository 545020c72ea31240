import type { JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { App } from './app.tsx';
import { Offer, offerTitle } from './offer.tsx';
import type { Assets, Message, PageData, QuestionView, Renderer } from './page-data.ts';
import { AskForLink, Portal, portalTitle } from './portal.tsx';
import { speakPortal } from './portal-language.ts';
import { Receipt } from './receipt.tsx';
import { wordReceipt } from './receipt-words.ts';
import { spoken } from './spoken.ts';
import { enMessages } from './texts/en-messages.ts';
import { enPortal } from './texts/en-portal.ts';
import { type AskedWords, type Messages, ptMessages } from './texts/pt-messages.ts';
import { type PortalWords, ptPortal } from './texts/pt-portal.ts';
import { type Language, problemText } from './texts.ts';

const told: Readonly<Record<Language, Messages>> = { pt: ptMessages, en: enMessages };

const portalWords: Readonly<Record<Language, PortalWords>> = { pt: ptPortal, en: enPortal };

/** As text of a script element: no `<` can end it. */
const dataOf = (data: PageData): string => JSON.stringify(data).replaceAll('<', '\\u003c');

interface Document {
  readonly language: Language;
  readonly title: string;
  readonly body: JSX.Element;
  readonly assets: Assets;
  readonly accent: string | null;
  /** Null: the page takes nothing over in the browser. */
  readonly data: PageData | null;
  /** Null: the page needs no script. */
  readonly script?: string | null;
}

function documentOf({
  language,
  title,
  body,
  assets,
  accent,
  data,
  script = data === null ? null : assets.script,
}: Document): string {
  const head = renderToString(
    <>
      <title>{title}</title>
      <link rel="stylesheet" href={assets.style} />
      {script !== null && <script type="module" src={script} />}
    </>,
  );
  return `<!doctype html>
<html lang="${spoken[language].texts.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
${head}${accent === null ? '' : `\n<style>${accent}</style>`}
</head>
<body>
<div id="app">${renderToString(body)}</div>
${data === null ? '' : `<script type="application/json" id="data">${dataOf(data)}</script>`}
</body>
</html>
`;
}

const Said = ({ title, text }: { title: string; text: string }) => (
  <main class="page message">
    <section class="panel">
      <h1>{title}</h1>
      <p>{text}</p>
    </section>
  </main>
);

function Question({ view: { merchant, action, link }, words }: { view: QuestionView; words: AskedWords }) {
  return (
    <main class="page message">
      <section class="panel">
        <h1>{words.title}</h1>
        <p>{words.text(merchant)}</p>
        {action !== null && (
          <form method="post" action={action}>
            <button type="submit" class="primary">
              {words.button}
            </button>
          </form>
        )}
        {link !== null && (
          <p>
            <a class="primary" href={link}>
              {words.button}
            </a>
          </p>
        )}
      </section>
    </main>
  );
}

function wordsOf(language: Language, message: Message): { title: string; text: string } {
  const { messages, notOpened } = told[language];
  if (typeof message === 'string') return messages[message];
  return { title: notOpened, text: problemText(spoken[language].texts, message.problem) };
}

export const renderPurchase: Renderer['renderPurchase'] = (data, assets, accent) => {
  const { language } = data;
  const { texts, of } = spoken[language];
  const { merchant, standing, isLate } = data.purchase;
  const status = standing === 'payable' && isLate ? texts.late : texts.standings[standing];
  // Without a script the title is what tells that the form came back.
  const isRefused = standing === 'buyer' && data.problem !== null;
  return documentOf({
    language,
    title: of(data.purchase, texts.titleOf(isRefused ? texts.refused : status, merchant)),
    body: <App data={data} spoken={spoken[language]} />,
    assets,
    accent,
    data,
  });
};

export const renderReceipt: Renderer['renderReceipt'] = (view, { links, assets, accent }) =>
  documentOf({
    language: 'pt',
    title: `${wordReceipt(view).title} – ${view.seller.name}`,
    body: <Receipt view={view} links={links} />,
    assets: { ...assets, style: assets.receiptStyle },
    accent,
    data: null,
  });

export const renderOffer: Renderer['renderOffer'] = (view, page) => {
  const { offer: words } = told[page.language];
  return documentOf({
    ...page,
    title: offerTitle(view, words),
    body: <Offer view={view} words={words} spoken={spoken[page.language]} />,
    data: null,
  });
};

export const renderQuestion: Renderer['renderQuestion'] = (view, page) => {
  const words = told[page.language].questions[view.asking];
  const body = <Question view={view} words={words} />;
  return documentOf({ ...page, title: `${words.title} – ${view.merchant}`, body, data: null });
};

export const renderPortal: Renderer['renderPortal'] = (page, { language, query, assets, accent }) => {
  const { script, style } = assets.portal;
  const speaking = speakPortal(spoken[language], { words: portalWords[language], query });
  return documentOf({
    language,
    title: portalTitle(speaking, page),
    body: <Portal page={page} spoken={speaking} />,
    assets: { ...assets, style },
    accent,
    data: null,
    script,
  });
};

export const renderAsk: Renderer['renderAsk'] = (about, { action, language, assets }) => {
  const { ask } = portalWords[language];
  return documentOf({
    language,
    title: about === 'asked' ? ask.asked : ask.title,
    body: <AskForLink about={about} action={action} ask={ask} />,
    assets: { ...assets, style: assets.portal.style },
    accent: null,
    data: null,
  });
};

export const renderMessage: Renderer['renderMessage'] = (message, page) => {
  const words = wordsOf(page.language, message);
  return documentOf({ ...page, title: words.title, body: <Said {...words} />, accent: null, data: null });
};
