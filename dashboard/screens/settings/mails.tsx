import type { Account, AccountUpdate } from '@fatura/sdk';
import { useState } from 'react';
import { useMay, useRoleRefusal } from '../../api/may.ts';
import { useFatura } from '../../api/queries.ts';
import { useScope } from '../../api/session.ts';
import { useAct } from '../../parts/act.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Field, Tick } from '../../parts/field.tsx';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { LetterPreview } from './letter-preview.tsx';
import { draftOfMails, type MailDraft, mailChanges, type Occasions } from './mail-draft.ts';
import { mailTexts } from './mail-texts.ts';
import { SettingsForm } from './settings-form.tsx';
import { useAccount } from './use-settings.ts';

interface DraftProps {
  readonly draft: MailDraft;
  readonly change: (changes: Partial<MailDraft>) => void;
}

function WordsOfShop({ draft, change }: DraftProps) {
  const texts = useTexts(mailTexts);
  return (
    <Panel title={texts.words}>
      <Field
        label={texts.sender}
        hint={texts.senderHint}
        name="mail_settings.sender_name"
        value={draft.sender}
        onChange={(sender) => change({ sender })}
        isRequired={false}
      />
      <Field
        label={texts.sentence}
        hint={texts.sentenceHint}
        name="mail_settings.sentence"
        value={draft.sentence}
        onChange={(sentence) => change({ sentence })}
        isRequired={false}
      />
      <Tick isSelected={draft.attach} onChange={(attach) => change({ attach })}>
        {texts.attach}
      </Tick>
    </Panel>
  );
}

function Switches({ draft, change }: DraftProps) {
  const texts = useTexts(mailTexts);
  const { occasions } = draft;
  const named = Object.entries(texts.switched) as [keyof Occasions, readonly [string, string]][]; // the texts have these keys
  return (
    <Panel title={texts.occasions}>
      {named.map(([occasion, [name, meaning]]) => (
        <div key={occasion} className="switch">
          <Tick
            isSelected={occasions[occasion]}
            onChange={(isWritten) => change({ occasions: { ...occasions, [occasion]: isWritten } })}
          >
            {name}
          </Tick>
          <p className="hint">{meaning}</p>
        </div>
      ))}
      <p className="soft">{texts.alwaysText}</p>
    </Panel>
  );
}

function Edit({ account, ...props }: DraftProps & { account: Account }) {
  const texts = useTexts(mailTexts);
  const fatura = useFatura();
  const { run, isPending, error } = useAct(
    (changes: AccountUpdate, options) => fatura.account.update(changes, options),
    { done: texts.saved },
  );
  const submit = (): void => {
    run(mailChanges(account.mail_settings, props.draft));
  };
  return (
    <SettingsForm save={texts.save} submit={submit} isPending={isPending} error={error}>
      <WordsOfShop {...props} />
      <Switches {...props} />
    </SettingsForm>
  );
}

function Shown({ draft, refused }: { draft: MailDraft; refused: string }) {
  const texts = useTexts(mailTexts);
  const off = Object.entries(texts.switched).flatMap(
    ([occasion, [name]]) => (draft.occasions[occasion as keyof Occasions] ? [] : [name]), // the texts have these keys
  );
  return (
    <Panel title={texts.words}>
      <Facts
        facts={[
          [texts.sender, draft.sender || texts.ofService],
          [texts.sentence, draft.sentence || '—'],
          [texts.attach, draft.attach ? texts.yes : texts.no],
          [texts.notSent, off.join(', ') || '—'],
        ]}
      />
      <p className="note">{refused}</p>
    </Panel>
  );
}

function Mails({ account }: { account: Account }) {
  const may = useMay();
  const refused = useRoleRefusal()('account.update');
  const [draft, setDraft] = useState(() => draftOfMails(account.mail_settings));
  const change = (changes: Partial<MailDraft>): void => setDraft({ ...draft, ...changes });
  return (
    <div className="beside">
      {may('account.update') && <Edit account={account} draft={draft} change={change} />}
      {refused !== null && <Shown draft={draft} refused={refused} />}
      <LetterPreview draft={draft} />
    </div>
  );
}

/** How the buyers of a mode are written to, and what they read. */
export function MailSettingsScreen() {
  const texts = useTexts(mailTexts);
  const { frame } = useSharedTexts();
  const { mode } = useScope();
  const { data, error, refetch } = useAccount();
  return (
    <Page title={texts.title}>
      <p className="soft">{texts.text(frame[mode])}</p>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Pending />}
      {data !== undefined && <Mails key={`${data.id} ${data.live_mode}`} account={data} />}
    </Page>
  );
}
