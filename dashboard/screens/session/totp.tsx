import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { auth, type Session } from '../../api/auth.ts';
import { takeSession } from '../../api/query-client.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Field } from '../../parts/field.tsx';
import { Panel } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { toast } from '../../parts/toast.tsx';
import { useTexts } from '../../texts/language.tsx';
import { sessionTexts } from './texts.ts';

/** The secret is shown once; it counts from the first right code on. */
function TurnOn() {
  const texts = useTexts(sessionTexts);
  const { you } = texts;
  const begin = useMutation({ mutationFn: auth.beginTotp });
  const confirm = useMutation({
    mutationFn: auth.confirmTotp,
    onSuccess: (session: Session) => {
      toast(you.totpDone);
      takeSession(session);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!confirm.isPending) confirm.mutate(String(new FormData(event.currentTarget).get('code')).trim());
  };
  const error = begin.error ?? confirm.error;
  return (
    <>
      {begin.data === undefined ? (
        <Button isPending={begin.isPending} onPress={() => begin.mutate()}>
          {you.totpBegin}
        </Button>
      ) : (
        <Form className="form" onSubmit={submit}>
          <p>{you.totpScan}</p>
          <img className="qr" src={begin.data.qr} alt="QR code" />
          <Copyable text={begin.data.secret} name={you.totpSecret} />
          <Field
            label={texts.code}
            hint={texts.codeHint}
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            isRequired
          />
          <Button kind="primary" type="submit" isPending={confirm.isPending}>
            {you.totpConfirm}
          </Button>
        </Form>
      )}
      {error !== null && <ErrorNote error={error} />}
    </>
  );
}

function TurnOff() {
  const { you } = useTexts(sessionTexts);
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button onPress={() => setAsking(true)}>{you.totpRemove}</Button>
      <Confirm
        title={you.totpRemove}
        action={you.totpRemove}
        act={async () => takeSession(await auth.removeTotp())}
        done={you.totpRemoved}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
      >
        <p>{you.totpRemoveText}</p>
      </Confirm>
    </>
  );
}

export function Totp() {
  const { you } = useTexts(sessionTexts);
  const { has_totp: isOn } = useSession().sign_in;
  return (
    <Panel title={you.totp}>
      <p className="soft">{you.totpText}</p>
      <p>
        <Status tone={isOn ? 'good' : 'off'}>{isOn ? you.totpOn : you.totpOff}</Status>
      </p>
      {isOn ? <TurnOff /> : <TurnOn />}
    </Panel>
  );
}
