import type { FormEvent, ReactNode } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { errorsByField } from '../../parts/field.tsx';
import { useSharedTexts } from '../../texts/shared.ts';

interface SettingsFormProps {
  /** What the button says. */
  readonly save: string;
  readonly submit: (form: HTMLFormElement) => void;
  readonly isPending: boolean;
  readonly error: Error | null;
  /** `native`: the browser refuses what is empty; else the service judges alone. */
  readonly validation?: 'native' | 'aria';
  readonly children: ReactNode;
}

/** Settings that are saved together: the service judges them, and what it refuses stands at its field. */
export function SettingsForm({ save, submit, isPending, error, validation = 'aria', children }: SettingsFormProps) {
  const { parts } = useSharedTexts();
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    submit(event.currentTarget);
  };
  return (
    <Form
      className="form"
      onSubmit={send}
      validationBehavior={validation}
      validationErrors={errorsByField(error, parts.checkField)}
    >
      {children}
      {error !== null && <ErrorNote error={error} />}
      <Button kind="primary" type="submit" isPending={isPending}>
        {save}
      </Button>
    </Form>
  );
}
