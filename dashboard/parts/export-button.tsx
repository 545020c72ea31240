import type { ExportCreate } from '@fatura/sdk';
import { useState } from 'react';
import { useMay } from '../api/may.ts';
import { useFatura, useRead } from '../api/queries.ts';
import { useSharedTexts } from '../texts/shared.ts';
import { useAct } from './act.ts';
import { Button } from './button.tsx';
import { ErrorNote } from './error-note.tsx';

const LOOK_AGAIN_MS = 1_500;

/** The file of an export: while it is written, then a link to it. */
function File({ id }: { id: string }) {
  const { parts } = useSharedTexts();
  const [isWritten, setWritten] = useState(false);
  const { data, error } = useRead(
    ['exports', id],
    async (fatura, options) => {
      const one = await fatura.exports.retrieve(id, options);
      setWritten(one.status !== 'pending');
      return one;
    },
    { everyMs: isWritten ? false : LOOK_AGAIN_MS },
  );
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined || data.status === 'pending') return <span role="status">{parts.exporting}</span>;
  if (data.url === null) return <span role="alert">{parts.exportFailed}</span>;
  return (
    <span role="status">
      <a className="button primary" href={data.url} download>
        {parts.exported(data.rows)}
      </a>
    </span>
  );
}

/** Has exactly what the filters find written into a file for a spreadsheet. Another order begins anew. */
export function ExportButton({ order }: { order: ExportCreate }) {
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const may = useMay();
  const [asked, setAsked] = useState<{ id: string; of: string } | null>(null);
  const of = JSON.stringify(order);
  const { run, isPending, error } = useAct((wanted: ExportCreate, options) => fatura.exports.create(wanted, options), {
    onDone: ({ id }) => setAsked({ id, of }),
  });
  if (!may('exports.create')) return null;
  if (asked?.of === of) return <File id={asked.id} />;
  return (
    <>
      <Button isPending={isPending} onPress={() => run(order)}>
        {isPending ? parts.working : parts.export}
      </Button>
      {error !== null && <ErrorNote error={error} />}
    </>
  );
}
