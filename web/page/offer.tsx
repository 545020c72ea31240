import { Speaking, type Spoken, useSpoken } from './language.ts';
import type { OfferView } from './page-data.ts';
import { Shop } from './shop.tsx';
import { Line } from './summary.tsx';
import type { Messages } from './texts/pt-messages.ts';

type Words = Messages['offer'];

export const offerTitle = ({ state, merchant, lines }: OfferView, words: Words): string =>
  `${state === 'selling' ? (lines[0]?.description ?? words.buy) : words.said[state].title} – ${merchant}`;

interface OfferProps {
  readonly view: OfferView;
  readonly words: Words;
}

function Sold({ view, words }: OfferProps) {
  const { texts, money } = useSpoken();
  const { every, total, trialDays } = view;
  return (
    <>
      <ul class="lines">
        {view.lines.map((line, index) => (
          <Line key={index} line={line} />
        ))}
      </ul>
      {trialDays !== null && <p>{words.free(trialDays)}</p>}
      <p class="amount">{every === null ? money(total) : texts.consent.renews(money(total), every)}</p>
    </>
  );
}

function Told({ view, words }: OfferProps) {
  const { texts, again } = useSpoken();
  const { merchant, state, isSandbox, look } = view;
  const { title, text } = words.said[state];
  return (
    <>
      {isSandbox && (
        <header class="sandbox">
          <p>{texts.summary.sandbox}</p>
        </header>
      )}
      <main class="page message">
        <section class="panel">
          {look.logo !== null && (
            <img class="logo" src={look.logo.source} width={look.logo.width} height={look.logo.height} alt="" />
          )}
          <h1>{state === 'selling' ? merchant : title}</h1>
          {text !== null && <p>{text}</p>}
          {state !== 'over' && <Sold view={view} words={words} />}
          {state === 'selling' && (
            <form method="post">
              <button type="submit" class="primary">
                {words.buy}
              </button>
            </form>
          )}
          {state === 'on_hold' && (
            <p>
              <a class="primary" href={again}>
                {words.again}
              </a>
            </p>
          )}
        </section>
        <Shop name={merchant} look={look} />
      </main>
    </>
  );
}

/** What a link sells, and the button that opens a purchase; a look alone opens none. */
export const Offer = ({ spoken, ...props }: OfferProps & { spoken: Spoken }) => (
  <Speaking.Provider value={spoken}>
    <Told {...props} />
  </Speaking.Provider>
);
