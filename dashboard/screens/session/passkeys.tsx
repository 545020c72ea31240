import { useMutation, useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { Form } from 'react-aria-components';
import { auth, type PasskeyRow, type Session } from '../../api/auth.ts';
import { queryClient, takeSession } from '../../api/query-client.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Field } from '../../parts/field.tsx';
import { type Column, Rows } from '../../parts/list.tsx';
import { Panel } from '../../parts/page.tsx';
import { toast } from '../../parts/toast.tsx';
import { When } from '../../parts/when.tsx';
import { useTexts } from '../../texts/language.tsx';
import { hasPasskeys, makePasskey } from './passkey.ts';
import { sessionTexts } from './texts.ts';

const PASSKEYS = ['passkeys'];

/** The keys are read again; the answer tells how many there are. */
async function changed(session: Session, sentence: string): Promise<void> {
  toast(sentence);
  takeSession(session);
  await queryClient.invalidateQueries({ queryKey: PASSKEYS });
}

function useColumns(): readonly Column<PasskeyRow>[] {
  const { you } = useTexts(sessionTexts);
  const remove = useMutation({
    mutationFn: auth.removePasskey,
    onSuccess: (session) => changed(session, you.passkeyRemoved),
  });
  return [
    { id: 'name', name: you.passkeyName, show: ({ name }) => name },
    { id: 'created', name: you.created, show: ({ created }) => <When at={created} as="date" /> },
    {
      id: 'used',
      name: you.lastUsed,
      show: ({ last_used_at }) => (last_used_at === null ? you.never : <When at={last_used_at} />),
    },
    {
      id: 'remove',
      name: you.removePasskey,
      isNameHidden: true,
      align: 'end',
      show: ({ id }) => (
        <Button isPending={remove.isPending} onPress={() => remove.mutate(id)}>
          {you.removePasskey}
        </Button>
      ),
    },
  ];
}

function NewPasskey() {
  const { you } = useTexts(sessionTexts);
  const { mutate, isPending, error } = useMutation({
    mutationFn: makePasskey,
    onSuccess: (session) => changed(session, you.passkeyAdded),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!isPending) mutate(String(new FormData(event.currentTarget).get('name')).trim());
  };
  return (
    <Form className="form" onSubmit={submit}>
      <Field label={you.passkeyName} hint={you.passkeyNameHint} name="name" isRequired />
      {error !== null && <ErrorNote error={error} />}
      <Button type="submit" isPending={isPending}>
        {you.addPasskey}
      </Button>
    </Form>
  );
}

export function Passkeys() {
  const { you } = useTexts(sessionTexts);
  const { data, error, refetch } = useQuery({ queryKey: PASSKEYS, queryFn: auth.passkeys });
  const columns = useColumns();
  return (
    <Panel title={you.passkeys}>
      <p className="soft">{you.passkeysText}</p>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {data !== undefined &&
        (data.data.length === 0 ? (
          <p>{you.noPasskeys}</p>
        ) : (
          <Rows label={you.passkeys} rows={data.data} columns={columns} />
        ))}
      {hasPasskeys() ? <NewPasskey /> : <p className="note">{you.passkeysByName(location.hostname)}</p>}
    </Panel>
  );
}
