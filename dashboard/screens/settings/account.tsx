import type { Account, AccountUpdate } from '@fatura/sdk';
import { Link } from '@tanstack/react-router';
import type { SettingsView } from '../../../contract/account-settings.ts';
import { auth } from '../../api/auth.ts';
import { useMay, useRoleRefusal } from '../../api/may.ts';
import { useFatura } from '../../api/queries.ts';
import { takeSession } from '../../api/query-client.ts';
import { useScope } from '../../api/session.ts';
import { useAct } from '../../parts/act.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Field } from '../../parts/field.tsx';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { phoneNumber, taxId } from '../../texts/numbers.ts';
import { useSharedTexts } from '../../texts/shared.ts';
import { Command } from './command.tsx';
import { RefundLimit } from './refund-limit.tsx';
import { SettingsForm } from './settings-form.tsx';
import { settingsTexts } from './texts.ts';
import { useAccount, useSettings } from './use-settings.ts';

const HOUR = 3_600;

const shownPhone = ({ support_phone: phone }: Account): string => (phone === null ? '' : phoneNumber(phone));
const shownTaxId = ({ tax_id: identifier }: Account): string => (identifier === null ? '' : taxId(identifier));

/** Only what was changed is sent: nobody overwrites what another has just written. */
function changesOf(account: Account, data: FormData): AccountUpdate {
  const written = (name: string): string => String(data.get(name) ?? '').trim();
  const orNull = (text: string): string | null => (text === '' ? null : text);
  const [name, identifier, email, phone] = ['name', 'tax_id', 'support_email', 'support_phone'].map(written);
  return {
    ...(name !== account.name && { name }),
    ...(identifier !== shownTaxId(account) && { tax_id: orNull(identifier ?? '') }),
    ...(email !== (account.support_email ?? '') && { support_email: orNull(email ?? '') }),
    ...(phone !== shownPhone(account) && { support_phone: orNull(phone ?? '') }),
  };
}

function Edit({ account }: { account: Account }) {
  const { account: texts } = useTexts(settingsTexts);
  const fatura = useFatura();
  const save = async (changes: AccountUpdate, options: { idempotencyKey: string }): Promise<void> => {
    await fatura.account.update(changes, options);
    // The frame calls the account by its name.
    takeSession(await auth.session());
  };
  const { run, isPending, error } = useAct(save, { done: texts.saved });
  const submit = (form: HTMLFormElement): void => {
    run(changesOf(account, new FormData(form)));
  };
  return (
    <SettingsForm save={texts.save} submit={submit} isPending={isPending} error={error} validation="native">
      <Field label={texts.name} name="name" defaultValue={account.name} isRequired />
      <Field label={texts.taxId} name="tax_id" defaultValue={shownTaxId(account)} isRequired={false} />
      <Field
        label={texts.supportEmail}
        hint={texts.supportEmailHint}
        name="support_email"
        type="email"
        defaultValue={account.support_email ?? ''}
        isRequired={false}
      />
      <Field
        label={texts.supportPhone}
        hint={texts.phoneHint}
        name="support_phone"
        type="tel"
        defaultValue={shownPhone(account)}
        isRequired={false}
      />
    </SettingsForm>
  );
}

function Seen() {
  const { account: texts, look } = useTexts(settingsTexts);
  const { frame } = useSharedTexts();
  const { mode } = useScope();
  const may = useMay();
  const refused = useRoleRefusal()('account.update');
  const { data, error, refetch } = useAccount();
  return (
    <Panel title={texts.seen}>
      <p className="soft">{texts.seenText(frame[mode])}</p>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Pending />}
      {data !== undefined && may('account.update') && <Edit account={data} />}
      {data !== undefined && refused !== null && (
        <>
          <Facts
            facts={[
              [texts.name, data.name],
              [texts.taxId, shownTaxId(data) || '—'],
              [texts.supportEmail, data.support_email ?? '—'],
              [texts.supportPhone, shownPhone(data) || '—'],
            ]}
          />
          <p className="note">{refused}</p>
        </>
      )}
      <p>
        {texts.toLook} <Link to="/settings/look">{look.title}</Link>.
      </p>
    </Panel>
  );
}

function Rules({ settings }: { settings: SettingsView }) {
  const { account: texts } = useTexts(settingsTexts);
  const { number } = useFormat();
  const { account } = useScope();
  return (
    <Panel title={texts.rules}>
      <Facts
        facts={[
          [texts.validity, texts.hours(number(settings.pix_validity_seconds / HOUR))],
          [texts.city, settings.city],
          [texts.mails, settings.sends_mail ? texts.mailsOn : texts.mailsOff],
          [texts.ownerEmail, settings.email],
          [texts.id, <Copyable key="id" text={account} name={texts.theId} />],
        ]}
      />
      <p className="soft">{texts.rulesText}</p>
      <Command
        text={`account set ${account} --pix-validity ${settings.pix_validity_seconds}`}
        name={texts.theCommand}
      />
    </Panel>
  );
}

/** What the account is, and how it works. */
export function AccountScreen() {
  const { account: texts } = useTexts(settingsTexts);
  const { data, error, refetch } = useSettings();
  return (
    <Page title={texts.title}>
      <Seen />
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {data !== undefined && (
        <>
          <RefundLimit cents={data.refund_limit} />
          <Rules settings={data} />
        </>
      )}
    </Page>
  );
}
