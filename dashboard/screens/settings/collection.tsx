import type { CollectionSettings, CollectionSettingsUpdate } from '@fatura/sdk';
import { useState } from 'react';
import { useMay, useRoleRefusal } from '../../api/may.ts';
import { useFatura } from '../../api/queries.ts';
import { useScope } from '../../api/session.ts';
import { useAct } from '../../parts/act.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Choice, Field, Tick } from '../../parts/field.tsx';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { type CollectionDraft, collectionChanges, draftOfCollection } from './collection-draft.ts';
import { collectionTexts } from './collection-texts.ts';
import { SettingsForm } from './settings-form.tsx';
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
      <Field
        label={texts.reminders}
        hint={texts.remindersHint}
        name="reminder_days"
        value={draft.reminders}
        onChange={(reminders) => change({ reminders })}
        isRequired={false}
      />
      <Tick isSelected={draft.finesUnpaid} onChange={(finesUnpaid) => change({ finesUnpaid })}>
        {texts.finesUnpaid}
      </Tick>
    </Panel>
  );
}

function Late({ draft, change }: DraftProps) {
  const texts = useTexts(collectionTexts);
  const { collects } = texts;
  const typed = { inputMode: 'decimal', isRequired: true } as const;
  return (
    <Panel title={texts.late}>
      <Tick isSelected={draft.asksLate} onChange={(asksLate) => change({ asksLate })}>
        {texts.asksLate}
      </Tick>
      <p className="soft">{texts.lateHint}</p>
      {draft.asksLate && (
        <>
          <Field
            label={texts.fine}
            name="late_fees.fine_percentage"
            value={draft.fine}
            onChange={(fine) => change({ fine })}
            {...typed}
          />
          <Field
            label={texts.interest}
            name="late_fees.interest_percentage"
            value={draft.interest}
            onChange={(interest) => change({ interest })}
            {...typed}
          />
          <Field
            label={texts.grace}
            hint={texts.graceHint}
            name="late_fees.grace_days"
            value={draft.grace}
            onChange={(grace) => change({ grace })}
            {...typed}
            inputMode="numeric"
          />
          <Choice
            label={texts.collect}
            name="late_fees.collect"
            value={draft.collect}
            options={[
              ['at_payment', collects.at_payment],
              ['next_invoice', collects.next_invoice],
            ]}
            onChange={(collect) => change({ collect })}
          />
        </>
      )}
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
  const fatura = useFatura();
  const [draft, setDraft] = useState(draftOfCollection(settings));
  const change = (changes: Partial<CollectionDraft>): void => setDraft({ ...draft, ...changes });
  const { run, isPending, error } = useAct(
    (changes: CollectionSettingsUpdate, options) => fatura.collectionSettings.update(changes, options),
    { done: texts.saved },
  );
  const submit = (): void => {
    run(collectionChanges(settings, draft));
  };
  return (
    <SettingsForm save={texts.save} submit={submit} isPending={isPending} error={error}>
      <Days draft={draft} change={change} />
      <Late draft={draft} change={change} />
      <Portal draft={draft} change={change} />
    </SettingsForm>
  );
}

function Shown({ settings, refused }: { settings: CollectionSettings; refused: string }) {
  const texts = useTexts(collectionTexts);
  const { percentage } = useFormat();
  const { late_fees: late } = settings;
  const draft = draftOfCollection(settings);
  return (
    <Panel title={texts.days}>
      <Facts
        facts={[
          [texts.overdue, draft.overdue],
          [texts.suspend, draft.suspend],
          [texts.cancel, draft.cancel],
          [texts.retries, draft.retries || '—'],
          [texts.reminders, draft.reminders || '—'],
          [
            texts.late,
            late === null
              ? texts.noLate
              : texts.lateOf(percentage(late.fine_percentage), percentage(late.interest_percentage)),
          ],
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
