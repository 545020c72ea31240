import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { ErrorNote } from '../parts/error-note.tsx';
import { Page } from '../parts/page.tsx';
import { useSharedTexts } from '../texts/shared.ts';

export function NotFound() {
  const { notFound } = useSharedTexts();
  return (
    <Page title={notFound.title}>
      <p>{notFound.text}</p>
      <p>
        <Link to="/">{notFound.back}</Link>
      </p>
    </Page>
  );
}

/** A screen that could not be shown. */
export function Crashed({ error, reset }: ErrorComponentProps) {
  return (
    <div className="crashed">
      <ErrorNote error={error} retry={reset} />
    </div>
  );
}
