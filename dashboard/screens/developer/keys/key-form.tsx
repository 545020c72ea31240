import type { ApiKey, ApiKeyCreate, ApiKeyScope, ApiKeyUpdate } from '@fatura/sdk';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { useFatura } from '../../../api/queries.ts';
import { useAct } from '../../../parts/act.ts';
import { FormFoot } from '../../../parts/dialog.tsx';
import { ErrorNote } from '../../../parts/error-note.tsx';
import { Choice, errorsByField, Field } from '../../../parts/field.tsx';
import { instantOfText } from '../../../parts/local-time.ts';
import { useTexts } from '../../../texts/language.tsx';
import { useSharedTexts } from '../../../texts/shared.ts';
import { keyTexts } from './texts.ts';

const written = (data: FormData, name: string): string => String(data.get(name) ?? '').trim();

const networksOf = (data: FormData): string[] =>
  written(data, 'networks')
    .split(/[\s,;]+/)
    .filter(Boolean);

function NameAndNetworks({ apiKey, edited }: { apiKey?: ApiKey; edited: () => void }) {
  const texts = useTexts(keyTexts);
  return (
    <>
      <Field
        label={texts.name}
        name="name"
        hint={texts.nameHint}
        defaultValue={apiKey?.name ?? ''}
        onChange={edited}
        isRequired
      />
      <Field
        label={texts.networks}
        name="networks"
        hint={texts.networksHint}
        defaultValue={apiKey?.networks.join('\n') ?? ''}
        onChange={edited}
        isLong
        isRequired={false}
      />
    </>
  );
}

/** Which of several networks is wrong the service says by its place; a person sees one field. */
const ofOneField = (errors: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(errors).map(([name, text]) => [name.replace(/[.[].*$/, ''), text]));

interface IssueProps {
  readonly onDone: (key: ApiKey) => void;
  readonly onClose: () => void;
}

/** A new key: what it is for, what it may do, from where and until when. */
export function IssueForm({ onDone, onClose }: IssueProps) {
  const texts = useTexts(keyTexts);
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const [scope, setScope] = useState<ApiKeyScope>('read');
  const [isWrong, setWrong] = useState(false);
  const act = useAct((order: ApiKeyCreate, options) => fatura.apiKeys.create(order, options), {
    done: texts.issued,
    onDone,
  });
  const { run, isPending, error } = act;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const end = written(data, 'expires_at');
    const expiresAt = end === '' ? null : instantOfText(end);
    const isPast = end !== '' && (expiresAt === null || expiresAt * 1_000 <= Date.now());
    setWrong(isPast);
    if (!isPast) run({ name: written(data, 'name'), scope, networks: networksOf(data), expires_at: expiresAt });
  };
  return (
    <Form className="form" onSubmit={submit} validationErrors={ofOneField(errorsByField(error, parts.checkField))}>
      <NameAndNetworks edited={act.edited} />
      <Choice
        label={texts.scope}
        value={scope}
        options={(['read', 'full'] as const).map((one) => [one, texts.scopes[one]] as const)}
        onChange={setScope}
      />
      <Field
        label={texts.end}
        name="expires_at"
        type="datetime-local"
        hint={texts.endHint}
        isRequired={false}
        onChange={() => setWrong(false)}
        isInvalid={isWrong}
        {...(isWrong && { errorMessage: texts.noInstant })}
      />
      {error !== null && <ErrorNote error={error} />}
      <FormFoot action={texts.issue} isPending={isPending} onClose={onClose} />
    </Form>
  );
}

/** Another name, or other networks. */
export function EditKeyForm({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const texts = useTexts(keyTexts);
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const act = useAct((changes: ApiKeyUpdate, options) => fatura.apiKeys.update(apiKey.id, changes, options), {
    done: texts.saved,
    onDone: onClose,
  });
  const { run, isPending, error } = act;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    run({ name: written(data, 'name'), networks: networksOf(data) });
  };
  return (
    <Form className="form" onSubmit={submit} validationErrors={ofOneField(errorsByField(error, parts.checkField))}>
      <NameAndNetworks apiKey={apiKey} edited={act.edited} />
      {error !== null && <ErrorNote error={error} />}
      <FormFoot action={texts.save} isPending={isPending} onClose={onClose} />
    </Form>
  );
}
