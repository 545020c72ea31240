import { Link } from '@tanstack/react-router';
import { useScope } from '../../api/session.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Page } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { useToday } from '../../parts/period.ts';
import type { Tone } from '../../parts/status.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { FirstSteps } from './first-steps.tsx';
import { startTexts } from './texts.ts';
import { type StartFacts, useStart } from './use-start.ts';

/** One thing that somebody should look at, and where. */
interface Need {
  readonly id: string;
  readonly tone: Tone;
  readonly title: string;
  readonly detail?: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

const sum = (rows: readonly { readonly amount: number }[]): number =>
  rows.reduce((total, { amount }) => total + amount, 0);

function useMoneyNeeds({ summary, aging, waiting, recent }: StartFacts): readonly (Need | false)[] {
  const texts = useTexts(startTexts);
  const { money } = useFormat();
  const late = aging.rows.filter(({ age }) => age !== 'to_come');
  const overdue = late.reduce((total, { count }) => total + count, 0);
  return [
    waiting.length > 0 && {
      id: 'waiting',
      tone: 'bad',
      title: texts.waiting(waiting.length),
      detail: money(sum(waiting)),
      to: '/disputes',
      search: { status: 'needs_response' },
    },
    recent.length > 0 && {
      id: 'disputes',
      tone: 'bad',
      title: texts.disputes(recent.length),
      detail: money(sum(recent)),
      to: '/disputes',
      search: { period: 'last7' },
    },
    summary.failed.count > 0 && {
      id: 'declines',
      tone: 'warn',
      title: texts.declines(summary.failed.count),
      detail: money(summary.failed.amount),
      to: '/sales',
      search: { status: 'failed', period: 'last7' },
    },
    overdue > 0 && {
      id: 'overdue',
      tone: 'warn',
      title: texts.overdue(overdue),
      detail: money(sum(late)),
      to: '/collection',
    },
  ];
}

function useNeeds(facts: StartFacts): readonly Need[] {
  const texts = useTexts(startTexts);
  const ofMoney = useMoneyNeeds(facts);
  const { subscriptions, unstable, hasUndelivered } = facts;
  const needs: readonly (Need | false)[] = [
    ...ofMoney,
    subscriptions.suspended > 0 && {
      id: 'suspended',
      tone: 'warn',
      title: texts.suspended(subscriptions.suspended),
      to: '/subscriptions',
      search: { status: 'suspended' },
    },
    unstable.length > 0 && {
      id: 'endpoints',
      tone: 'bad',
      title: texts.unstable(unstable.length),
      ...(unstable[0] !== undefined && { detail: unstable[0].url }),
      to: '/developer/webhooks',
    },
    hasUndelivered && {
      id: 'undelivered',
      tone: 'warn',
      title: texts.undelivered,
      to: '/developer/events',
      search: { delivery: 'failed' },
    },
  ];
  return needs.filter((need) => need !== false);
}

function Needs(facts: StartFacts) {
  const texts = useTexts(startTexts);
  const { money } = useFormat();
  const needs = useNeeds(facts);
  const { received, due_today: due } = facts.summary;
  return (
    <>
      <section className="stack" aria-labelledby="needs">
        <h2 id="needs">{texts.needs}</h2>
        {needs.length === 0 ? (
          <p className="empty">{texts.nothing}</p>
        ) : (
          <ul className="needs">
            {needs.map(({ id, tone, title, detail, to, search = {} }) => (
              <li key={id} className={tone}>
                <Link to={to as '/'} search={search as object}>
                  <strong>{title}</strong>
                  {detail !== undefined && <span className="soft">{detail}</span>}
                </Link>
              </li>
            ))}
          </ul>
        )}
      </section>
      <p>
        {texts.today(money(received.total), money(due.amount))} <Link to="/sales">{texts.toSales}</Link>
      </p>
    </>
  );
}

/** What needs somebody now; with nothing to do it says so. */
export function Start() {
  const texts = useTexts(startTexts);
  const today = useToday();
  const { mode } = useScope();
  const { data, error, refetch } = useStart(today);
  return (
    <Page title={texts.title}>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {error === null && (data === undefined ? <Pending /> : <Needs {...data} />)}
      {mode === 'sandbox' && <FirstSteps />}
    </Page>
  );
}
