import { isFaturaError } from '@fatura/sdk';
import { Link } from '@tanstack/react-router';
import { useScope } from '../api/session.ts';
import { useSharedTexts } from '../texts/shared.ts';
import { ErrorNote } from './error-note.tsx';
import { Page } from './page.tsx';

/** The screen of an object that could not be read: of the other mode, mostly, where it is not found. */
export function MissingNote({ error, retry }: { error: unknown; retry: () => void }) {
  const { notFound, frame } = useSharedTexts();
  const { mode } = useScope();
  if (!isFaturaError(error, 'RESOURCE_MISSING')) return <ErrorNote error={error} retry={retry} />;
  return (
    <Page title={notFound.object}>
      <p>{notFound.objectText(frame[mode])}</p>
      <p>
        <Link to="/">{notFound.back}</Link>
      </p>
    </Page>
  );
}
