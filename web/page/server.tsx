import type { JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { App } from './app.tsx';
import { Offer, offerTitle } from './offer.tsx';
import type { Assets, Message, PageData, QuestionView, Renderer } from './page-data.ts';
import { AskForLink, Portal, portalTitle } from './portal.tsx';
import { ask } from './portal-words.ts';
import { Receipt } from './receipt.tsx';
import { wordReceipt } from './receipt-words.ts';
import {
  exportGone,
  gone,
  LATE,
  NOT_OPENED,
  noReceipt,
  notFound,
  problemText,
  REFUSED,
  standingNames,
  worded,
} from './texts.ts';

/** As text of a script element: no `<` can end it. */
const dataOf = (data: PageData): string => JSON.stringify(data).replaceAll('<', '\\u003c');

interface Document {
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
<html lang="pt-BR">
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

function Question({ merchant, title, text, form, link }: QuestionView) {
  return (
    <main class="page message">
      <section class="panel">
        <h1>{title}</h1>
        <p>{text.replace('{loja}', merchant)}</p>
        {form !== null && (
          <form method="post" action={form.action}>
            <button type="submit" class="primary">
              {form.button}
            </button>
          </form>
        )}
        {link !== null && (
          <p>
            <a class="primary" href={link.to}>
              {link.name}
            </a>
          </p>
        )}
      </section>
    </main>
  );
}

const messages = { not_found: notFound, gone, no_receipt: noReceipt, export_gone: exportGone };

function wordsOf(message: Message): { title: string; text: string } {
  if (typeof message === 'string') return messages[message];
  return { title: NOT_OPENED, text: problemText(message.problem) };
}

export const renderPurchase: Renderer['renderPurchase'] = (data, assets, accent) => {
  const { merchant, standing, isLate, kind } = data.purchase;
  const status = standing === 'payable' && isLate ? LATE : standingNames[standing];
  // Without a script the title is what tells that the form came back.
  const isRefused = standing === 'buyer' && data.problem !== null;
  return documentOf({
    title: worded(kind, `${isRefused ? REFUSED : status}: fatura de ${merchant}`),
    body: <App data={data} />,
    assets,
    accent,
    data,
  });
};

export const renderReceipt: Renderer['renderReceipt'] = (view, { links, assets, accent }) =>
  documentOf({
    title: `${wordReceipt(view).title} – ${view.seller.name}`,
    body: <Receipt view={view} links={links} />,
    assets: { ...assets, style: assets.receiptStyle },
    accent,
    data: null,
  });

export const renderOffer: Renderer['renderOffer'] = (view, assets, accent) =>
  documentOf({ title: offerTitle(view), body: <Offer view={view} />, assets, accent, data: null });

export const renderQuestion: Renderer['renderQuestion'] = (view, assets, accent) =>
  documentOf({
    title: `${view.title} – ${view.merchant}`,
    body: <Question {...view} />,
    assets,
    accent,
    data: null,
  });

export const renderPortal: Renderer['renderPortal'] = (page, assets, accent) => {
  const { script, style } = assets.portal;
  const body = <Portal page={page} />;
  return documentOf({ title: portalTitle(page), body, assets: { ...assets, style }, accent, data: null, script });
};

export const renderAsk: Renderer['renderAsk'] = (about, { action, assets }) =>
  documentOf({
    title: about === 'asked' ? ask.asked : ask.title,
    body: <AskForLink about={about} action={action} />,
    assets: { ...assets, style: assets.portal.style },
    accent: null,
    data: null,
  });

export const renderMessage: Renderer['renderMessage'] = (message, assets) => {
  const words = wordsOf(message);
  return documentOf({ title: words.title, body: <Said {...words} />, assets, accent: null, data: null });
};
