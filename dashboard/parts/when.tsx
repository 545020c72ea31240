import { isoInstant, useFormat } from '../texts/format.ts';

interface WhenProps {
  /** Unix seconds; null: not yet. */
  readonly at: number | null;
  readonly as?: 'moment' | 'date' | 'time';
}

/** An instant in Brasília. */
export function When({ at, as = 'moment' }: WhenProps) {
  const format = useFormat();
  if (at === null) return <>—</>;
  return (
    <time dateTime={isoInstant(at)} title={as === 'moment' ? undefined : format.moment(at)}>
      {format[as](at)}
    </time>
  );
}
