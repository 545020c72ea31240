import { useState } from 'react';
import type { AcquirerTest, SettingsView } from '../../../contract/account-settings.ts';
import { auth, type LiveMethod } from '../../api/auth.ts';
import { useMembership, useScope } from '../../api/session.ts';
import { useAct } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { Status } from '../../parts/status.tsx';
import { When } from '../../parts/when.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { CardForm, PixForm } from './acquirer-form.tsx';
import { acquirerTexts } from './acquirer-texts.ts';
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
  const texts = useTexts(acquirerTexts);
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

function Told({ acquirer }: { acquirer: LiveAcquirer }) {
  const texts = useTexts(acquirerTexts);
  const endsAt = acquirer.certificate_ends_at;
  return (
    <>
      <Facts
        facts={[
          [texts.profile, acquirer.profile],
          [texts.certificate, acquirer.method === 'pix' && <Certificate key="end" endsAt={endsAt} />],
          [texts.listed, <When key="listed" at={acquirer.listed_until} />],
          [texts.changed, <When key="changed" at={acquirer.changed_at} />],
        ]}
      />
      {endsAt !== null && daysUntil(endsAt) <= WARN_DAYS && <p className="note warn">{texts.renew}</p>}
    </>
  );
}

function Steps({ test: { steps, callback_url: address } }: { test: AcquirerTest }) {
  const texts = useTexts(acquirerTexts);
  const isSound = steps.every(({ ok }) => ok);
  return (
    <div role="status">
      <p>
        <strong>{isSound ? texts.isSound : texts.isNotSound}</strong>
      </p>
      <ul className="probe">
        {steps.map(({ step, ok, detail }) => (
          <li key={step}>
            <Status tone={ok ? 'good' : 'bad'}>{ok ? texts.passed : texts.failed}</Status> {texts.steps[step] ?? step}
            {!ok && detail !== null && <p className="soft">{detail}</p>}
          </li>
        ))}
      </ul>
      {address !== null && (
        <>
          <p>{texts.register}</p>
          <p className="command">
            <Copyable text={address} name={texts.theAddress} />
          </p>
        </>
      )}
    </div>
  );
}

interface OwnProps {
  readonly method: LiveMethod;
  readonly acquirer: LiveAcquirer | undefined;
  readonly psps: SettingsView['psps'];
}

/** What an owner does: sets the acquirer, and has it tested, at once after it is set. */
function Own({ method, acquirer, psps }: OwnProps) {
  const texts = useTexts(acquirerTexts);
  const scope = useScope();
  const [isOpen, setOpen] = useState(false);
  const [found, setFound] = useState<AcquirerTest | null>(null);
  const test = useAct(() => auth.testAcquirer(scope, method), { onDone: setFound });
  const close = () => setOpen(false);
  const onDone = () => {
    close();
    test.run(undefined);
  };
  if (isOpen && method === 'pix')
    return <PixForm psps={psps} now={acquirer?.profile} onDone={onDone} onCancel={close} />;
  if (isOpen) return <CardForm onDone={onDone} onCancel={close} />;
  return (
    <>
      <div className="actions">
        <Button kind={acquirer === undefined ? 'primary' : 'secondary'} onPress={() => setOpen(true)}>
          {acquirer === undefined ? texts.configure : texts.change}
        </Button>
        {acquirer !== undefined && (
          <Button isPending={test.isPending} onPress={() => test.run(undefined)}>
            {texts.test}
          </Button>
        )}
      </div>
      {acquirer !== undefined && <p className="soft">{texts.testText}</p>}
      {test.error !== null && <ErrorNote error={test.error} />}
      {found !== null && <Steps test={found} />}
    </>
  );
}

function Method(props: OwnProps) {
  const texts = useTexts(acquirerTexts);
  const { parts, roles } = useSharedTexts();
  const { role } = useMembership();
  const { method, acquirer } = props;
  return (
    <Panel
      title={texts.methods[method]}
      actions={
        <Status tone={acquirer === undefined ? 'off' : 'good'}>
          {acquirer === undefined ? texts.isNotSet : texts.isSet}
        </Status>
      }
    >
      {acquirer === undefined ? <p>{texts.none[method]}</p> : <Told acquirer={acquirer} />}
      {role === 'owner' ? <Own {...props} /> : <p className="note">{parts.mayNot(roles[role])}</p>}
    </Panel>
  );
}

/** Who moves the live money. */
export function AcquirerScreen() {
  const texts = useTexts(acquirerTexts);
  const { data, error, refetch } = useSettings();
  return (
    <Page title={texts.title}>
      <p className="soft">{texts.text}</p>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Pending />}
      {data !== undefined &&
        methods.map((method) => (
          <Method
            key={method}
            method={method}
            acquirer={data.live_acquirers.find((one) => one.method === method)}
            psps={data.psps}
          />
        ))}
    </Page>
  );
}
