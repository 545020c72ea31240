import type { PortalCardView, PortalMandateView } from './portal-data.ts';
import { usePortal } from './portal-language.ts';
import { Part } from './portal-part.tsx';
import { cardName } from './portal-words.ts';

interface ActProps {
  readonly action: string;
  readonly name: string;
  /** What it is done with, for whoever hears the page. */
  readonly of: string;
}

/** A button that does one thing at once. */
export const Act = ({ action, name, of, isPrimary = false }: ActProps & { isPrimary?: boolean }) => (
  <form method="post" action={usePortal().kept(action)}>
    <button type="submit" class={isPrimary ? 'primary' : 'secondary'}>
      {name}
      <span class="visually-hidden"> {of}</span>
    </button>
  </form>
);

/** A thing that is asked for and confirmed: two taps. */
export const Confirmed = ({ action, name, of, text, confirm }: ActProps & { text: string; confirm: string }) => (
  <details class="confirmed">
    <summary>
      {name}
      <span class="visually-hidden"> {of}</span>
    </summary>
    <p>{text}</p>
    <form method="post" action={usePortal().kept(action)}>
      <button type="submit" class="danger">
        {confirm}
        <span class="visually-hidden"> {of}</span>
      </button>
    </form>
  </details>
);

/** `isOnly`: there is no other that could be the default. */
function Card({ card, home, isOnly }: { card: PortalCardView; home: string; isOnly: boolean }) {
  const spoken = usePortal();
  const { methods: said, subscription } = spoken.words;
  const name = cardName(spoken, card);
  const at = `${home}/cards/${card.id}`;
  return (
    <li class="panel">
      <h3>{name}</h3>
      <p class="facts">
        {card.isDefault && <span class="status paid">{said.isDefault}</span>}
        {card.isClosed && <span class="status late">{said.isClosed}</span>}
        <span>{said.expires(card.expires)}</span>
      </p>
      {card.pays.length > 0 && (
        <p class="soft">{said.pays(card.pays.map((one) => one ?? subscription.some).join(', '))}</p>
      )}
      <div class="acts">
        {!card.isDefault && !card.isClosed && !isOnly && <Act action={`${at}/default`} name={said.prefer} of={name} />}
        {card.pays.length === 0 && (
          <Confirmed
            action={`${at}/remove`}
            name={said.remove}
            of={name}
            text={said.removeText}
            confirm={said.removeSure}
          />
        )}
      </div>
    </li>
  );
}

export const Cards = ({ cards, home }: { cards: readonly PortalCardView[]; home: string }) => (
  <Part id="cards" title={usePortal().words.methods.cards}>
    <ul class="cards">
      {cards.map((card) => (
        <Card key={card.id} card={card} home={home} isOnly={cards.length === 1} />
      ))}
    </ul>
  </Part>
);

function Mandate({ mandate: { id, name, every, isActive }, home }: { mandate: PortalMandateView; home: string }) {
  const { methods: said, subscription } = usePortal().words;
  const of = name ?? subscription.one;
  return (
    <li class="panel">
      <h3>{of}</h3>
      <p class="facts">
        <span class={isActive ? 'status paid' : 'status'}>{isActive ? said.authorised : said.awaited}</span>
        {every !== null && <span>{said.debited(every)}</span>}
      </p>
      <Confirmed
        action={`${home}/mandates/${id}/end`}
        name={said.end}
        of={of}
        text={said.endText}
        confirm={said.endSure}
      />
    </li>
  );
}

export const Mandates = ({ mandates, home }: { mandates: readonly PortalMandateView[]; home: string }) => (
  <Part id="mandates" title={usePortal().texts.methodNames.pix_automatico}>
    <ul class="cards">
      {mandates.map((mandate) => (
        <Mandate key={mandate.id} mandate={mandate} home={home} />
      ))}
    </ul>
  </Part>
);
