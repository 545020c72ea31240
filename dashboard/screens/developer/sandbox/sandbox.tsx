import { Link } from '@tanstack/react-router';
import { useScope, useSession } from '../../../api/session.ts';
import { Copyable } from '../../../parts/copyable.tsx';
import { type Column, Rows } from '../../../parts/list.tsx';
import { Page, Panel } from '../../../parts/page.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { Bank } from './bank.tsx';
import { type CardScenario, testCards } from './cards.ts';
import { Clock } from './clock.tsx';
import { sandboxTexts } from './texts.ts';

interface CardRow {
  readonly id: string;
  readonly scenario: CardScenario;
}

/** As it is embossed on the card. */
const embossed = (number: string): string =>
  number.length === 16 ? number.replace(/\d{4}(?=\d)/g, '$& ') : number.replace(/^(\d{4})(\d{6})/, '$1 $2 ');

function Cards() {
  const texts = useTexts(sandboxTexts);
  const columns: readonly Column<CardRow>[] = [
    {
      id: 'number',
      name: texts.card,
      show: ({ id }) => (
        <span className="card-number">
          <Copyable text={id} shown={embossed(id)} name={texts.theCard} />
        </span>
      ),
    },
    { id: 'scenario', name: texts.outcome, isNameHidden: true, show: ({ scenario }) => texts.cardScenarios[scenario] },
  ];
  return (
    <Panel title={texts.cards}>
      <p className="soft">{texts.cardsText}</p>
      <Rows
        label={texts.cards}
        rows={testCards.map(([id, scenario]) => ({ id, scenario }))}
        columns={columns}
        hasOwnKeys={false}
      />
    </Panel>
  );
}

function Elsewhere() {
  const texts = useTexts(sandboxTexts);
  const { modes } = useSession();
  return (
    <Page title={texts.title}>
      <p>{texts.onlySandbox}</p>
      {modes.includes('sandbox') ? (
        <p>
          <Link to="." search={(before: object) => ({ ...before, mode: 'sandbox' as const })}>
            {texts.goThere}
          </Link>
        </p>
      ) : (
        <p>{texts.notServed}</p>
      )}
    </Page>
  );
}

/** What only a sandbox has: a clock that one moves, and a bank that does what one says. */
export function SandboxScreen() {
  const texts = useTexts(sandboxTexts);
  const { mode } = useScope();
  if (mode === 'live') return <Elsewhere />;
  return (
    <Page title={texts.title}>
      <div className="columns">
        <div className="stack">
          <Clock />
          <Bank />
        </div>
        <Cards />
      </div>
    </Page>
  );
}
