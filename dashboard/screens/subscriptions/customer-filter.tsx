import type { Customer } from '@fatura/sdk';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Pending } from '../../parts/pending.tsx';
import { Person } from '../../parts/person.tsx';
import { useSetFilters } from '../../parts/use-filters.ts';
import { useTexts } from '../../texts/language.tsx';
import { subscriptionsTexts } from './texts.ts';

/** More of one name are told apart by more of it. */
const CANDIDATES_MAX = 10;

const isId = (text: string): boolean => /^cus_\w+$/.test(text);

interface Chosen {
  /** Whether it is known whose subscriptions are wanted. */
  readonly isSettled: boolean;
  /** Undefined: everybody's. */
  readonly id: string | undefined;
  /** What is asked, where several customers are meant, or none. */
  readonly question: ReactNode;
}

function Candidates({ customers }: { customers: readonly Customer[] }) {
  const texts = useTexts(subscriptionsTexts);
  const setFilters = useSetFilters();
  return (
    <section className="candidates" aria-label={texts.whichCustomer}>
      <h2>{texts.whichCustomer}</h2>
      {customers.map(({ id, name, identifier }) => (
        <Button key={id} onPress={() => setFilters({ customer: id })}>
          <Person name={name} identifier={identifier} />
        </Button>
      ))}
    </section>
  );
}

/** The customer that the filter means: by its id, or the only one that is found by a text. */
export function useChosenCustomer(text: string | undefined): Chosen {
  const texts = useTexts(subscriptionsTexts);
  const isText = text !== undefined && !isId(text);
  const { data, error, isPlaceholderData } = useRead(
    ['customers', { query: text }],
    async (fatura, options) =>
      (await fatura.customers.list({ query: text ?? '', limit: CANDIDATES_MAX }, options).page()).data,
    { enabled: isText },
  );
  if (!isText) return { isSettled: true, id: text, question: null };
  const unsettled = { isSettled: false, id: undefined };
  if (error !== null) return { ...unsettled, question: <ErrorNote error={error} /> };
  if (data === undefined || isPlaceholderData) return { ...unsettled, question: <Pending /> };
  const [only, ...others] = data;
  if (only === undefined) {
    const none = (
      <p className="empty">
        {texts.noCustomer} “{text}”.
      </p>
    );
    return { ...unsettled, question: none };
  }
  if (others.length > 0) return { ...unsettled, question: <Candidates customers={data} /> };
  return { isSettled: true, id: only.id, question: null };
}
