import type { PortalCardView, PortalMandateView } from './portal-data.ts';
import { Part } from './portal-part.tsx';
import { cardName } from './portal-words.ts';

/** A button that does one thing at once. */
export const Act = ({
  action,
  name,
  of,
  isPrimary = false,
}: {
  action: string;
  name: string;
  of: string;
  isPrimary?: boolean;
}) => (
  <form method="post" action={action}>
    <button type="submit" class={isPrimary ? 'primary' : 'secondary'}>
      {name}
      <span class="visually-hidden"> {of}</span>
    </button>
  </form>
);

/** A thing that is asked for and confirmed: two taps. */
export const Confirmed = ({
  action,
  name,
  of,
  text,
  confirm,
}: {
  action: string;
  name: string;
  of: string;
  text: string;
  confirm: string;
}) => (
  <details class="confirmed">
    <summary>
      {name}
      <span class="visually-hidden"> {of}</span>
    </summary>
    <p>{text}</p>
    <form method="post" action={action}>
      <button type="submit" class="danger">
        {confirm}
        <span class="visually-hidden"> {of}</span>
      </button>
    </form>
  </details>
);

/** `isOnly`: there is no other that could be the default. */
const Card = ({ card, home, isOnly }: { card: PortalCardView; home: string; isOnly: boolean }) => {
  const name = cardName(card);
  const at = `${home}/cards/${card.id}`;
  return (
    <li class="panel">
      <h3>{name}</h3>
      <p class="facts">
        {card.isDefault && <span class="status paid">Principal</span>}
        {card.isClosed && <span class="status late">Encerrado pelo banco</span>}
        <span>Validade {card.expires}</span>
      </p>
      {card.pays.length > 0 && <p class="soft">Usado em {card.pays.join(', ')}.</p>}
      <div class="acts">
        {!card.isDefault && !card.isClosed && !isOnly && (
          <Act action={`${at}/default`} name="Tornar o principal" of={name} />
        )}
        {card.pays.length === 0 && (
          <Confirmed
            action={`${at}/remove`}
            name="Remover"
            of={name}
            text="O cartão deixa de ser guardado."
            confirm="Sim, remover"
          />
        )}
      </div>
    </li>
  );
};

export const Cards = ({ cards, home }: { cards: readonly PortalCardView[]; home: string }) => (
  <Part id="cards" title="Cartões guardados">
    <ul class="cards">
      {cards.map((card) => (
        <Card key={card.id} card={card} home={home} isOnly={cards.length === 1} />
      ))}
    </ul>
  </Part>
);

export const Mandates = ({ mandates, home }: { mandates: readonly PortalMandateView[]; home: string }) => (
  <Part id="mandates" title="Pix Automático">
    <ul class="cards">
      {mandates.map(({ id, name, every, isActive }) => (
        <li key={id} class="panel">
          <h3>{name}</h3>
          <p class="facts">
            <span class={isActive ? 'status paid' : 'status'}>
              {isActive ? 'Autorizado' : 'Aguarda sua autorização'}
            </span>
            <span>Debitado a cada {every}</span>
          </p>
          <Confirmed
            action={`${home}/mandates/${id}/end`}
            name="Encerrar a autorização"
            of={name}
            text="Nada mais é debitado da sua conta. As próximas cobranças chegam por e-mail, com código PIX."
            confirm="Sim, encerrar"
          />
        </li>
      ))}
    </ul>
  </Part>
);
