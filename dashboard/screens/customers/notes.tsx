import type { Note, NoteCreate } from '@fatura/sdk';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { useRoleRefusal } from '../../api/may.ts';
import { useFatura, useReadList } from '../../api/queries.ts';
import { useAct } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { errorsByField, Field } from '../../parts/field.tsx';
import { LoadMore } from '../../parts/load-more.tsx';
import { Panel } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { When } from '../../parts/when.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { customerTexts } from './texts.ts';
import type { WholeCustomer } from './use-customer.ts';

function NewNote({ customer: { id } }: Pick<WholeCustomer, 'customer'>) {
  const texts = useTexts(customerTexts);
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const [text, setText] = useState('');
  const { run, isPending, error } = useAct(
    (note: NoteCreate, options) => fatura.customers.createNote(id, note, options),
    { done: texts.noteAdded, onDone: () => setText('') },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    run({ text });
  };
  return (
    <Panel>
      <Form className="form" onSubmit={submit} validationErrors={errorsByField(error, parts.checkField)}>
        <Field
          label={texts.note}
          name="text"
          hint={texts.noteHint}
          value={text}
          onChange={setText}
          isLong
          isRequired
          maxLength={5_000}
        />
        {error !== null && <ErrorNote error={error} />}
        <Button kind="primary" type="submit" isPending={isPending}>
          {isPending ? parts.working : texts.addNote}
        </Button>
      </Form>
    </Panel>
  );
}

function OneNote({ note: { text, author, created } }: { note: Note }) {
  const texts = useTexts(customerTexts);
  const by = author.kind === 'staff' ? author.name : texts.noteBy[author.kind];
  return (
    <li className="panel noted">
      <p>{text ?? <span className="soft">{texts.noteErased}</span>}</p>
      <small className="soft">
        {by ?? author.id} · <When at={created} />
      </small>
    </li>
  );
}

function Notes({ id }: { id: string }) {
  const texts = useTexts(customerTexts);
  const query = useReadList(['notes', id], (fatura, cursor, options) =>
    fatura.customers.listNotes(id, cursor, options),
  );
  const { data, error, refetch } = query;
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  const notes = data.pages.flatMap((page) => page.data);
  if (notes.length === 0) return <p className="empty">{texts.noNotes}</p>;
  return (
    <>
      <ul className="stack" aria-label={texts.tabs.notes}>
        {notes.map((note) => (
          <OneNote key={note.id} note={note} />
        ))}
      </ul>
      <LoadMore of={query} />
    </>
  );
}

/** What people of the merchant wrote down of a customer, newest first, and a field to write more. */
export function CustomerNotes({ customer }: Pick<WholeCustomer, 'customer'>) {
  const refused = useRoleRefusal()('customers.createNote');
  return (
    <>
      {customer.identifier !== null && refused === null && <NewNote customer={customer} />}
      {refused !== null && <p className="soft">{refused}</p>}
      <Notes id={customer.id} />
    </>
  );
}
