import type { Fatura, List, RequestOptions } from '@fatura/sdk';
import { useState } from 'react';
import { useRead } from '../api/queries.ts';
import { useSharedTexts } from '../texts/shared.ts';
import { Button } from './button.tsx';
import { ErrorNote } from './error-note.tsx';
import { Money } from './money.tsx';

/** Summed by one press at most: beyond that a report is the better tool. */
const ROWS_MAX = 5_000;

interface SumProps<T extends { id: string }> {
  /** What the list is known by. */
  readonly of: readonly unknown[];
  readonly rows: readonly T[];
  readonly hasMore: boolean;
  /** The same list by pages as large as can be. */
  readonly read: (fatura: Fatura, options: RequestOptions) => List<T>;
  readonly centsOf: (row: T) => number;
}

/** The sum of what the filters find. Where more is there than is loaded it says so, and sums all of it by a press. */
export function Sum<T extends { id: string }>({ of, rows, hasMore, read, centsOf }: SumProps<T>) {
  const { parts } = useSharedTexts();
  const [wantsAll, setWantsAll] = useState(false);
  const { data, error } = useRead(
    ['sum', ...of],
    async (fatura, options) => {
      const all = await read(fatura, options).all({ max: ROWS_MAX });
      return { count: all.length, cents: all.reduce((sum, row) => sum + centsOf(row), 0) };
    },
    { enabled: hasMore && wantsAll },
  );
  if (error !== null) return <ErrorNote error={error} />;
  const loaded = { count: rows.length, cents: rows.reduce((sum, row) => sum + centsOf(row), 0) };
  const all = hasMore ? (wantsAll ? data : undefined) : loaded;
  const { count, cents } = all ?? loaded;
  const isWhole = all !== undefined && count < ROWS_MAX;
  return (
    <p className="sum">
      <span>{isWhole ? parts.sumOfAll(count) : parts.sumOfLoaded(count)}</span>
      <strong>
        <Money cents={cents} />
      </strong>
      {hasMore && all === undefined && (
        <Button kind="quiet" isPending={wantsAll} onPress={() => setWantsAll(true)}>
          {wantsAll ? parts.working : parts.sumEverything}
        </Button>
      )}
    </p>
  );
}
