import { masked } from './card-fields.ts';
import { useSpoken } from './language.ts';
import type { TestCard } from './page-data.ts';

interface TestCardsProps {
  readonly cards: readonly TestCard[];
  readonly fill: (number: string) => void;
}

/** The cards of the sandbox; each fills the form in. */
export function TestCards({ cards, fill }: TestCardsProps) {
  const { language, texts } = useSpoken();
  return (
    <details class="test-cards scripted">
      <summary>{texts.card.testCards}</summary>
      <ul>
        {cards.map(({ number, outcome }) => (
          <li key={number}>
            <button type="button" class="secondary" onClick={() => fill(number)}>
              <span class="number">{masked('number', number)}</span>
              <small>{outcome[language]}</small>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
