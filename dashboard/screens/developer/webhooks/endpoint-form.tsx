import type { EventFilter, EventType, WebhookEndpoint } from '@fatura/sdk';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { FormFoot } from '../../../parts/dialog.tsx';
import { ErrorNote } from '../../../parts/error-note.tsx';
import { errorsByField, Field } from '../../../parts/field.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { useSharedTexts } from '../../../texts/shared.ts';
import { allEventTypes, filtersOf } from '../event-types.ts';
import { EventChooser } from './event-chooser.tsx';
import { webhookTexts } from './texts.ts';

/** What a person wrote of an endpoint, as the API takes it. */
export interface WrittenEndpoint {
  readonly url: string;
  readonly description: string | null;
  readonly event_types: EventFilter[];
}

interface EndpointFormProps {
  /** Absent: a new one. */
  readonly endpoint?: WebhookEndpoint;
  readonly action: string;
  readonly act: {
    readonly run: (written: WrittenEndpoint) => void;
    readonly isPending: boolean;
    readonly error: Error | null;
    readonly edited: () => void;
  };
  readonly onClose: () => void;
}

const text = (data: FormData, name: string): string => String(data.get(name) ?? '').trim();

/** Where events go, and which. */
export function EndpointForm({ endpoint, action, act, onClose }: EndpointFormProps) {
  const texts = useTexts(webhookTexts);
  const { parts } = useSharedTexts();
  const { run, isPending, error } = act;
  const [chosen, setChosen] = useState<ReadonlySet<EventType>>(new Set(endpoint?.event_types ?? allEventTypes));
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const description = text(data, 'description');
    run({
      url: text(data, 'url'),
      description: description === '' ? null : description,
      event_types: filtersOf(chosen),
    });
  };
  return (
    <Form className="form" onSubmit={submit} validationErrors={errorsByField(error, parts.checkField)}>
      <Field
        label={texts.url}
        name="url"
        inputMode="url"
        hint={texts.urlHint}
        placeholder="https://loja.com.br/webhooks"
        defaultValue={endpoint?.url ?? ''}
        onChange={act.edited}
        isRequired
      />
      <Field
        label={texts.description}
        name="description"
        defaultValue={endpoint?.description ?? ''}
        onChange={act.edited}
        isRequired={false}
      />
      <EventChooser chosen={chosen} onChange={setChosen} />
      {error !== null && <ErrorNote error={error} />}
      <FormFoot action={action} isPending={isPending} onClose={onClose} />
    </Form>
  );
}
