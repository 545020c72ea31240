import type { Collection } from '@fatura/sdk';
import { Link } from '@tanstack/react-router';
import { Money } from '../../parts/money.tsx';
import { useTexts } from '../../texts/language.tsx';
import { nextOf, type Stage, type StepDays } from './stages.ts';
import { collectionTexts } from './texts.ts';

export function useStageName(): (stage: Stage) => string {
  const { stage: names } = useTexts(collectionTexts);
  return ({ from_day: day }) => (day === null ? names.suspended : day === 0 ? names.first : names.day(day));
}

function Next({ stage, days }: { stage: Stage; days: StepDays }) {
  const texts = useTexts(collectionTexts);
  const next = nextOf(stage, days);
  if (next === null) return <small>{texts.nothingNext}</small>;
  return <small>{texts.at(next.day, next.what.map((one) => texts.next[one]).join(', '))}</small>;
}

/** The ladder from the due date on: how much is late by how many days, and what comes next. One stage is shown below. */
export function Board({ collection, shown }: { collection: Collection; shown: Stage | undefined }) {
  const texts = useTexts(collectionTexts);
  const nameOf = useStageName();
  return (
    <nav aria-label={texts.stages} className="late">
      <ol className="stages">
        {collection.stages.map((stage) => (
          <li key={stage.id}>
            <Link
              to="/collection"
              search={{ stage: stage.id }}
              replace
              resetScroll={false}
              className="stage"
              aria-current={stage === shown ? 'true' : undefined}
            >
              <span>{nameOf(stage)}</span>
              <strong>
                <Money cents={stage.amount} />
              </strong>
              <span>{texts.invoices(stage.count)}</span>
              <Next stage={stage} days={collection} />
            </Link>
          </li>
        ))}
      </ol>
      <p className="soft">{texts.onlySubscriptions}</p>
    </nav>
  );
}
