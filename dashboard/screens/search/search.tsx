import type { Search } from '@fatura/sdk';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useRead } from '../../api/queries.ts';
import { useScope } from '../../api/session.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { useListKeys } from '../../parts/list-keys.ts';
import { Page } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { FoundCustomers, FoundInvoices, FoundPayments, FoundSessions, FoundSubscriptions } from './groups.tsx';
import { searchTexts } from './texts.ts';

const route = getRouteApi('/frame/search');

/** The API takes no shorter text. */
const LETTERS_MIN = 3;
/** As many as the API gives of a group. */
const GROUP_MAX = 10;

function Nothing({ query }: { query: string }) {
  const texts = useTexts(searchTexts);
  const { frame } = useSharedTexts();
  const { mode } = useScope();
  return (
    <div className="empty">
      <p>{texts.nothing(query)}</p>
      <p className="soft">{texts.searched}</p>
      <p className="soft">{texts.otherMode(frame[mode])}</p>
    </div>
  );
}

function Group({ title, count, children }: { title: string; count: number; children: ReactNode }) {
  if (count === 0) return null;
  return (
    <section className="stack">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** The groups of what was found. The first of it takes the focus: Enter opens it, J goes on. */
function Found({ found }: { found: Search }) {
  const texts = useTexts(searchTexts);
  const place = useRef<HTMLDivElement>(null);
  useListKeys(place);
  const { query } = found;
  useEffect(() => {
    if (query !== '') place.current?.querySelector<HTMLElement>('.row-link')?.focus();
  }, [query]);
  const { customers, invoices, payment_intents: payments, subscriptions, checkout_sessions: sessions } = found;
  if (customers.length + invoices.length + payments.length + subscriptions.length + sessions.length === 0)
    return <Nothing query={query} />;
  return (
    <div className="stack" ref={place}>
      <Group title={texts.customers} count={customers.length}>
        <FoundCustomers customers={customers} />
      </Group>
      <Group title={texts.invoices} count={invoices.length}>
        <FoundInvoices invoices={invoices} />
      </Group>
      <Group title={texts.payments} count={payments.length}>
        <FoundPayments payments={payments} />
      </Group>
      <Group title={texts.subscriptions} count={subscriptions.length}>
        <FoundSubscriptions subscriptions={subscriptions} />
      </Group>
      <Group title={texts.sessions} count={sessions.length}>
        <FoundSessions sessions={sessions} />
      </Group>
    </div>
  );
}

function Results({ query }: { query: string }) {
  const { data, error, refetch } = useRead(['search', query], (fatura, options) =>
    fatura.search.retrieve({ query, limit: GROUP_MAX }, options),
  );
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  return data === undefined ? <Pending /> : <Found key={data.query} found={data} />;
}

/** Anything by anything that one knows of it. */
export function SearchScreen() {
  const texts = useTexts(searchTexts);
  const { query = '' } = route.useSearch();
  const isLong = query.trim().length >= LETTERS_MIN;
  return (
    <Page title={query === '' ? texts.title : texts.titleOf(query)}>
      {isLong ? <Results query={query.trim()} /> : <p>{query === '' ? texts.start : texts.tooShort}</p>}
    </Page>
  );
}
