import type { SettingsView } from '../../../contract/account-settings.ts';
import { useScope } from '../../api/session.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { Status } from '../../parts/status.tsx';
import { When } from '../../parts/when.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { Command } from './command.tsx';
import { settingsTexts } from './texts.ts';
import { useSettings } from './use-settings.ts';

type LiveAcquirer = SettingsView['live_acquirers'][number];

const DAY_MS = 86_400_000;
const MS_IN_SECOND = 1_000;
/** The service writes to the owner so many days before the end. */
const WARN_DAYS = 30;

const methods = ['pix', 'card'] as const;

/** Whole days until an instant of real time; negative: it is over. */
const daysUntil = (at: number): number => Math.floor((at * MS_IN_SECOND - Date.now()) / DAY_MS);

function Certificate({ endsAt }: { endsAt: number | null }) {
  const { acquirer: texts } = useTexts(settingsTexts);
  const { number } = useFormat();
  if (endsAt === null) return <>{texts.noCertificate}</>;
  const days = daysUntil(endsAt);
  return (
    <>
      <When at={endsAt} /> {days < 0 && <Status tone="bad">{texts.ended}</Status>}
      {days >= 0 && days <= WARN_DAYS && <Status tone="warn">{texts.ends(number(days))}</Status>}
    </>
  );
}

function Method({ method, acquirer }: { method: LiveAcquirer['method']; acquirer: LiveAcquirer | undefined }) {
  const { acquirer: texts } = useTexts(settingsTexts);
  const endsAt = acquirer?.certificate_ends_at ?? null;
  return (
    <Panel
      title={texts.methods[method]}
      actions={
        <Status tone={acquirer === undefined ? 'off' : 'good'}>
          {acquirer === undefined ? texts.isNotSet : texts.isSet}
        </Status>
      }
    >
      {acquirer === undefined ? (
        <p>{method === 'pix' ? texts.noPix : texts.noCard}</p>
      ) : (
        <Facts
          facts={[
            [texts.profile, acquirer.profile],
            [texts.certificate, <Certificate key="end" endsAt={endsAt} />],
            [texts.listed, <When key="listed" at={acquirer.listed_until} />],
            [texts.changed, <When key="changed" at={acquirer.changed_at} />],
          ]}
        />
      )}
      {endsAt !== null && daysUntil(endsAt) <= WARN_DAYS && <p className="note warn">{texts.renew}</p>}
    </Panel>
  );
}

function How() {
  const { acquirer: texts } = useTexts(settingsTexts);
  const { account } = useScope();
  const name = texts.theCommand;
  return (
    <Panel title={texts.how}>
      <p>{texts.howText}</p>
      <p>{texts.set}</p>
      <Command
        name={name}
        text={`acquirer set ${account} --live pix --profile efi --client-id … --client-secret-file client-secret --certificate client.pem --key client.key --pix-key …`}
      />
      <p>{texts.test}</p>
      <Command name={name} text={`acquirer test ${account} --live pix`} />
      <p>{texts.show}</p>
      <Command name={name} text={`acquirer show ${account} --live pix`} />
    </Panel>
  );
}

/** Who moves the live money, and what an operator does to set that. */
export function AcquirerScreen() {
  const { acquirer: texts } = useTexts(settingsTexts);
  const { data, error, refetch } = useSettings();
  return (
    <Page title={texts.title}>
      <p className="soft">{texts.text}</p>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Pending />}
      {data !== undefined &&
        methods.map((method) => (
          <Method key={method} method={method} acquirer={data.live_acquirers.find((one) => one.method === method)} />
        ))}
      <How />
    </Page>
  );
}
