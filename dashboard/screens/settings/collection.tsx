import type { CollectionSettings, CollectionSettingsUpdate } from '@fatura/sdk';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { useMay, useRoleRefusal } from '../../api/may.ts';
import { useFatura } from '../../api/queries.ts';
import { useScope } from '../../api/session.ts';
import { useAct } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Choice, errorsByField, Field, Tick } from '../../parts/field.tsx';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { type CollectionDraft, collectionChanges, draftOfCollection } from './collection-draft.ts';
import { collectionTexts } from './collection-texts.ts';
import { useCollectionSettings } from './use-settings.ts';

interface DraftProps {
  readonly draft: CollectionDraft;
  readonly change: (changes: Partial<CollectionDraft>) => void;
}

function Days({ draft, change }: DraftProps) {
  const texts = useTexts(collectionTexts);
  const days = { hint: texts.afterDue, inputMode: 'numeric', isRequired: true } as const;
  return (
    <Panel title={texts.days}>
      <Field
        label={texts.overdue}
        name="overdue_days"
        value={draft.overdue}
        onChange={(overdue) => change({ overdue })}
        {...days}
      />
      <Field
        label={texts.suspend}
        name="suspend_days"
        value={draft.suspend}
        onChange={(suspend) => change({ suspend })}
        {...days}
      />
      <Field
        label={texts.cancel}
        name="cancel_days"
        value={draft.cancel}
        onChange={(cancel) => change({ cancel })}
        {...days}
      />
      <Field
        label={texts.retries}
        hint={texts.retriesHint}
        name="retry_days"
        value={draft.retries}
        onChange={(retries) => change({ retries })}
        isRequired={false}
      />
    </Panel>
  );
}

function Portal({ draft, change }: DraftProps) {
  const texts = useTexts(collectionTexts);
  const { cancels } = texts;
  return (
    <Panel title={texts.portal}>
      <Choice
        label={texts.portalCancel}
        name="portal.cancel"
        value={draft.portalCancel}
        options={[
          ['period_end', cancels.period_end],
          ['none', cancels.none],
        ]}
        onChange={(portalCancel) => change({ portalCancel })}
      />
      <Tick isSelected={draft.pause} onChange={(pause) => change({ pause })}>
        {texts.pause}
      </Tick>
      <Field
        label={texts.prices}
        hint={texts.pricesHint}
        name="portal.change_prices"
        value={draft.prices}
        onChange={(prices) => change({ prices })}
        isRequired={false}
      />
    </Panel>
  );
}

function Edit({ settings }: { settings: CollectionSettings }) {
  const texts = useTexts(collectionTexts);
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const [draft, setDraft] = useState(draftOfCollection(settings));
  const change = (changes: Partial<CollectionDraft>): void => setDraft({ ...draft, ...changes });
  const { run, isPending, error } = useAct(
    (changes: CollectionSettingsUpdate, options) => fatura.collectionSettings.update(changes, options),
    { done: texts.saved },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    run(collectionChanges(settings, draft));
  };
  return (
    <Form
      className="form"
      onSubmit={submit}
      validationBehavior="aria"
      validationErrors={errorsByField(error, parts.checkField)}
    >
      <Days draft={draft} change={change} />
      <Portal draft={draft} change={change} />
      {error !== null && <ErrorNote error={error} />}
      <Button kind="primary" type="submit" isPending={isPending}>
        {texts.save}
      </Button>
    </Form>
  );
}

function Shown({ settings, refused }: { settings: CollectionSettings; refused: string }) {
  const texts = useTexts(collectionTexts);
  const draft = draftOfCollection(settings);
  return (
    <Panel title={texts.days}>
      <Facts
        facts={[
          [texts.overdue, draft.overdue],
          [texts.suspend, draft.suspend],
          [texts.cancel, draft.cancel],
          [texts.retries, draft.retries || '—'],
          [texts.portalCancel, texts.cancels[draft.portalCancel]],
        ]}
      />
      <p className="note">{refused}</p>
    </Panel>
  );
}

/** How unpaid invoices of a mode are collected, and what buyers may do by themselves. */
export function CollectionSettingsScreen() {
  const texts = useTexts(collectionTexts);
  const { frame } = useSharedTexts();
  const { mode } = useScope();
  const may = useMay();
  const refused = useRoleRefusal()('collectionSettings.update');
  const { data, error, refetch } = useCollectionSettings();
  return (
    <Page title={texts.title}>
      <p className="soft">{texts.text(frame[mode])}</p>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Pending />}
      {data !== undefined && may('collectionSettings.update') && <Edit key={JSON.stringify(data)} settings={data} />}
      {data !== undefined && refused !== null && <Shown settings={data} refused={refused} />}
    </Page>
  );
}
