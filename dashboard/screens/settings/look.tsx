import type { Account, AccountUpdate } from '@fatura/sdk';
import { useState } from 'react';
import type { SettingsView } from '../../../contract/account-settings.ts';
import { useMay, useRoleRefusal } from '../../api/may.ts';
import { useFatura } from '../../api/queries.ts';
import { useScope } from '../../api/session.ts';
import { useAct } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Field } from '../../parts/field.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { COLOR_OF_SERVICE, contrastWithWhite, faultOfColor } from './color.ts';
import { draftOf, PageLook } from './page-look.tsx';
import { Preview } from './preview.tsx';
import { SettingsForm } from './settings-form.tsx';
import { settingsTexts } from './texts.ts';
import { useAccount, useSettings } from './use-settings.ts';

const TENTHS = 10;

/** What is wrong with a color, in a sentence; null: nothing. */
function useColorFault(color: string): string | null {
  const { look: texts } = useTexts(settingsTexts);
  const { number } = useFormat();
  const fault = faultOfColor(color);
  if (fault === null) return null;
  // Never rounded up to the limit.
  const contrast = fault === 'pale' ? Math.floor(contrastWithWhite(color) * TENTHS) / TENTHS : 0;
  return fault === 'form' ? texts.colorForm : texts.colorPale(number(contrast));
}

interface ColorProps {
  readonly color: string;
  readonly choose: (color: string) => void;
}

/** A color as text, and by the control of the browser. */
function Color({ color, choose }: ColorProps) {
  const { look: texts } = useTexts(settingsTexts);
  const fault = useColorFault(color);
  return (
    <div className="color">
      <Field
        label={texts.color}
        hint={texts.colorHint}
        name="color"
        value={color}
        onChange={choose}
        isInvalid={fault !== null}
        {...(fault !== null && { errorMessage: fault })}
      />
      <input
        type="color"
        aria-label={texts.pick}
        value={faultOfColor(color) === 'form' ? COLOR_OF_SERVICE : color.toLowerCase()}
        onChange={(event) => choose(event.target.value)}
      />
    </div>
  );
}

interface LookProps {
  readonly account: Account;
  readonly logo: SettingsView['logo'];
}

/** Only what was changed is sent; the address of a logo is one of an image that may be another by now. */
function changesOf(account: Account, { color, url }: { color: string; url: string }): AccountUpdate {
  const now = account.color ?? COLOR_OF_SERVICE;
  return {
    ...(color.toLowerCase() !== now && { color: color === COLOR_OF_SERVICE ? null : color }),
    ...(url !== (account.logo_url ?? '') && { logo_url: url === '' ? null : url }),
  };
}

function Edit({ account, color, choose }: LookProps & ColorProps) {
  const { look: texts } = useTexts(settingsTexts);
  const fatura = useFatura();
  const [url, setUrl] = useState(account.logo_url ?? '');
  const { run, isPending, error } = useAct(
    (changes: AccountUpdate, options) => fatura.account.update(changes, options),
    { done: texts.saved },
  );
  const submit = (): void => {
    if (faultOfColor(color) === null) run(changesOf(account, { color, url: url.trim() }));
  };
  return (
    <SettingsForm save={texts.save} submit={submit} isPending={isPending} error={error}>
      <Color color={color} choose={choose} />
      {color !== COLOR_OF_SERVICE && (
        <Button kind="quiet" onPress={() => choose(COLOR_OF_SERVICE)}>
          {texts.ofService}
        </Button>
      )}
      <Field
        label={texts.logo}
        hint={url.trim() === (account.logo_url ?? '') ? texts.logoHint : texts.logoNew}
        name="logo_url"
        type="url"
        value={url}
        onChange={setUrl}
        isRequired={false}
      />
      {account.logo_url !== null && url === account.logo_url && (
        <Button kind="quiet" isPending={isPending} onPress={() => run({ logo_url: url })}>
          {texts.fetchAgain}
        </Button>
      )}
    </SettingsForm>
  );
}

function Look(props: LookProps) {
  const { look: texts } = useTexts(settingsTexts);
  const { account } = props;
  const may = useMay();
  const refused = useRoleRefusal()('account.update');
  const [color, setColor] = useState(account.color ?? COLOR_OF_SERVICE);
  // What cannot be read is not shown: the last color that can stays.
  const [shown, setShown] = useState(color);
  const choose = (chosen: string): void => {
    setColor(chosen);
    if (faultOfColor(chosen) === null) setShown(chosen);
  };
  const [page, change] = useState(() => draftOf(account));
  return (
    <>
      <Panel>
        {may('account.update') ? <Edit {...props} color={color} choose={choose} /> : <p className="note">{refused}</p>}
      </Panel>
      {may('account.update') && (
        <Panel title={texts.pageTitle}>
          <PageLook account={account} draft={page} change={change} />
        </Panel>
      )}
      <Panel title={texts.preview}>
        <p className="soft">{texts.previewText}</p>
        <Preview account={account} logo={props.logo} color={shown} page={page} />
      </Panel>
    </>
  );
}

/** How pages, e-mails and receipts look to buyers. */
export function LookScreen() {
  const { look: texts } = useTexts(settingsTexts);
  const { frame } = useSharedTexts();
  const { mode } = useScope();
  const account = useAccount();
  const settings = useSettings();
  const error = account.error ?? settings.error;
  const again = (): void => void Promise.all([account.refetch(), settings.refetch()]);
  return (
    <Page title={texts.title}>
      <p className="soft">{texts.text(frame[mode])}</p>
      {error !== null && <ErrorNote error={error} retry={again} />}
      {account.data === undefined || settings.data === undefined ? (
        error === null && <Pending />
      ) : (
        <Look account={account.data} logo={settings.data.logo} />
      )}
    </Page>
  );
}
