import { isFaturaError } from '@fatura/sdk';
import type { ReactNode } from 'react';
import { errorSentences } from '../texts/errors.ts';
import { useTexts } from '../texts/language.tsx';
import { useSharedTexts } from '../texts/shared.ts';
import { Button } from './button.tsx';

/** What an error means, in a sentence of the person's language. */
export function useErrorSentence(): (error: unknown) => string {
  const sentences = useTexts(errorSentences);
  return (error) => {
    const code = isFaturaError(error) ? error.code : 'INTERNAL_ERROR';
    return sentences[code] ?? sentences.INTERNAL_ERROR ?? code;
  };
}

interface ErrorNoteProps {
  readonly error: unknown;
  /** Words of the screen's own, where it knows better than the code. */
  readonly children?: ReactNode;
  readonly retry?: () => void;
}

/** A refusal or a failure: what it means, the code of the request for support, and another try. */
export function ErrorNote({ error, children, retry }: ErrorNoteProps) {
  const { parts } = useSharedTexts();
  const sentence = useErrorSentence();
  const requestId = isFaturaError(error) ? error.requestId : null;
  return (
    <div className="trouble" role="alert">
      <p>{children ?? sentence(error)}</p>
      {requestId !== null && (
        <p className="request-id">
          {parts.requestId} <code>{requestId}</code>
        </p>
      )}
      {retry !== undefined && <Button onPress={retry}>{parts.retry}</Button>}
    </div>
  );
}
