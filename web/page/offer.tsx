import { money } from './format.ts';
import type { OfferView } from './page-data.ts';
import { Shop } from './shop.tsx';
import { Line } from './summary.tsx';

interface Said {
  readonly title: string;
  readonly text: string | null;
}

/** What a link says that opens no purchase now (docs/product/payment-links.md#the-page). */
const said: Readonly<Record<OfferView['state'], Said>> = {
  selling: { title: 'Comprar', text: null },
  on_hold: {
    title: 'Esgotado por agora',
    text: 'As últimas unidades estão reservadas por outras pessoas. Se alguma desistir, a compra abre de novo: tente daqui a alguns minutos.',
  },
  held: {
    title: 'Há compras demais em aberto',
    text: 'Da sua conexão já há muitas compras em aberto. Conclua uma delas ou tente de novo daqui a uma hora.',
  },
  over: { title: 'Vendas encerradas', text: 'Este link não vende mais. Se tiver dúvidas, fale com a loja.' },
};

export const offerTitle = ({ state, merchant, lines }: OfferView): string =>
  `${state === 'selling' ? (lines[0]?.description ?? said.selling.title) : said[state].title} – ${merchant}`;

const priceOf = ({ total, renewsEvery }: OfferView): string =>
  renewsEvery === null ? money(total) : `${money(total)} a cada ${renewsEvery}`;

function Sold({ view }: { view: OfferView }) {
  return (
    <>
      <ul class="lines">
        {view.lines.map((line, index) => (
          <Line key={index} line={line} />
        ))}
      </ul>
      <p class="amount">{priceOf(view)}</p>
    </>
  );
}

/** What a link sells, and the button that opens a purchase; a look alone opens none. */
export function Offer({ view }: { view: OfferView }) {
  const { merchant, state, isSandbox, look } = view;
  const { title, text } = said[state];
  return (
    <>
      {isSandbox && (
        <header class="sandbox">
          <p>Ambiente de teste: nenhum valor será cobrado.</p>
        </header>
      )}
      <main class="page message">
        <section class="panel">
          {look.logo !== null && (
            <img class="logo" src={look.logo.source} width={look.logo.width} height={look.logo.height} alt="" />
          )}
          <h1>{state === 'selling' ? merchant : title}</h1>
          {text !== null && <p>{text}</p>}
          {state !== 'over' && <Sold view={view} />}
          {state === 'selling' && (
            <form method="post">
              <button type="submit" class="primary">
                Comprar
              </button>
            </form>
          )}
          {state === 'on_hold' && (
            <p>
              <a class="primary" href="?">
                Tentar de novo
              </a>
            </p>
          )}
        </section>
        <Shop name={merchant} look={look} />
      </main>
    </>
  );
}
