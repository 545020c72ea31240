import { masked } from './card-fields.ts';
import type { TestCard } from './page-data.ts';

interface TestCardsProps {
  readonly cards: readonly TestCard[];
  readonly fill: (number: string) => void;
}

/** The cards of the sandbox; each fills the form in. */
export const TestCards = ({ cards, fill }: TestCardsProps) => (
  <details class="test-cards scripted">
    <summary>Cartões de teste</summary>
    <ul>
      {cards.map(({ number, outcome }) => (
        <li key={number}>
          <button type="button" class="secondary" onClick={() => fill(number)}>
            <span class="number">{masked('number', number)}</span>
            <small>{outcome}</small>
          </button>
        </li>
      ))}
    </ul>
  </details>
);
