import { isoInstant, money } from './format.ts';
import type { ReceiptLinks, ReceiptView } from './receipt-data.ts';
import { type Section, wordReceipt } from './receipt-words.ts';
import { Discounts, Line } from './summary.tsx';

const Facts = ({ section: { title, facts } }: { section: Section }) => (
  <section class="facts-of">
    <h2>{title}</h2>
    <dl>
      {facts.map(({ name, value }, index) => (
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  </section>
);

const Items = ({ view: { lines, discounts, subtotal, total } }: { view: ReceiptView }) => (
  <section class="items">
    <h2>Itens</h2>
    <ul class="lines">
      {lines.map((line, index) => (
        <Line key={index} line={line} />
      ))}
    </ul>
    {discounts.length > 0 && <Discounts discounts={discounts} subtotal={subtotal} />}
    <p class="total">
      <span>Total</span>
      <span class="value">{money(total)}</span>
    </p>
  </section>
);

/** A stroke in the color of the merchant, on paper too, where browsers leave backgrounds out. */
const Stroke = () => (
  <svg class="stroke" aria-hidden="true">
    <rect width="100%" height="100%" />
  </svg>
);

/** The receipt of a paid invoice. It needs no script, so no browser loads this. */
export function Receipt({ view, links }: { view: ReceiptView; links: ReceiptLinks }) {
  const { name, logo } = view.seller;
  const { title, mark, amount, status, parties, payment, notes, paidAt } = wordReceipt(view);
  return (
    <>
      {mark !== null && (
        <header class="sandbox">
          <p>{mark}</p>
        </header>
      )}
      <main class="receipt">
        <article>
          <Stroke />
          {logo !== null && <img class="logo" src={logo.source} width={logo.width} height={logo.height} alt="" />}
          <p class="seller">{name}</p>
          <h1>{title}</h1>
          <p class="amount">{amount}</p>
          <p class="facts">
            <span class="status paid">{status}</span>
            <time dateTime={isoInstant(view.paidAt)}>{paidAt}</time>
          </p>
          <div class="parties">
            {parties.map((section) => (
              <Facts key={section.title} section={section} />
            ))}
          </div>
          <Items view={view} />
          {payment.map((section) => (
            <Facts key={section.title} section={section} />
          ))}
          {notes.map((note) => (
            <p key={note} class="small">
              {note}
            </p>
          ))}
        </article>
        <nav class="actions" aria-label="Recibo">
          <a class="primary" href={links.file}>
            Baixar PDF
          </a>
          <a href={links.payment}>Voltar à fatura</a>
        </nav>
      </main>
    </>
  );
}
