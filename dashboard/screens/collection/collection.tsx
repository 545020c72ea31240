import { getRouteApi } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Page } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { Board, useStageName } from './board.tsx';
import { LateList } from './late-list.tsx';
import { Recovery } from './recovery.tsx';
import { stageOf } from './stages.ts';
import { collectionTexts } from './texts.ts';

const route = getRouteApi('/frame/collection');

/** What is late by how many days, what comes next by itself, and what is done with several at once. */
export function CollectionScreen() {
  const texts = useTexts(collectionTexts);
  const { stage: asked } = route.useSearch();
  const { money } = useFormat();
  const nameOf = useStageName();
  const { data, error, refetch } = useRead(['collection'], (fatura, options) => fatura.collection.retrieve(options));
  const stage = data === undefined ? undefined : stageOf(data.stages, asked);
  const sum = (of: 'count' | 'amount'): number => data?.stages.reduce((all, one) => all + one[of], 0) ?? 0;
  return (
    <Page title={texts.title}>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <Pending />}
      {data !== undefined && (
        <>
          <p className="sentence">{texts.atRisk(money(sum('amount')), texts.invoices(sum('count')))}</p>
          <Board collection={data} shown={stage} />
          {stage !== undefined && <LateList key={stage.id} stage={stage.id} name={nameOf(stage)} now={data.as_of} />}
          <Recovery recovery={data.recovery} />
        </>
      )}
    </Page>
  );
}
