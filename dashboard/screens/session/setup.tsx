import { useMutation, useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useRef } from 'react';
import { Form } from 'react-aria-components';
import { auth, oidcUrl, type SetupLook } from '../../api/auth.ts';
import { takeSession } from '../../api/query-client.ts';
import { ROOT } from '../../api/root.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { errorsByField, Field } from '../../parts/field.tsx';
import { Pending } from '../../parts/pending.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { ByPassword, Entrance, useEnter } from './sign-in.tsx';
import { sessionTexts } from './texts.ts';
import { useProof } from './use-proof.ts';

/** The service takes no shorter one. */
const PASSWORD_MIN = 12;

function SetupForm({ token, name, email }: { token: string; name: string; email: string }) {
  const texts = useTexts(sessionTexts);
  const { parts } = useSharedTexts();
  const { submit, isPending, error } = useProof(
    ({ password }, data) => auth.setup({ token, name: String(data.get('name')).trim(), password }),
    useEnter(),
  );
  return (
    <Form className="form" onSubmit={submit} validationErrors={errorsByField(error, parts.checkField)}>
      <Field label={texts.email} name="email" type="email" autoComplete="username" value={email} isReadOnly />
      <Field label={texts.name} name="name" autoComplete="name" defaultValue={name} isRequired />
      <Field
        label={texts.newPassword}
        hint={texts.newPasswordHint}
        name="password"
        type="password"
        autoComplete="new-password"
        minLength={PASSWORD_MIN}
        isRequired
      />
      {error !== null && <ErrorNote error={error} />}
      <Button kind="primary" type="submit" isPending={isPending}>
        {texts.create}
      </Button>
    </Form>
  );
}

/** Whoever has a sign-in already shows it, and accepts. */
function Accept({ token, needs }: { token: string; needs: SetupLook['needs'] }) {
  const texts = useTexts(sessionTexts);
  const enter = useEnter();
  const accept = useMutation({ mutationFn: () => auth.acceptSetup(token), onSuccess: enter });
  if (needs === 'oidc') {
    return (
      <a className="button primary" href={oidcUrl(ROOT)}>
        {texts.byProvider}
      </a>
    );
  }
  if (needs === 'sign_in') {
    return (
      <>
        <p>{texts.signInFirst}</p>
        <ByPassword entered={takeSession} />
      </>
    );
  }
  return (
    <>
      {accept.error !== null && <ErrorNote error={accept.error} />}
      <Button kind="primary" isPending={accept.isPending} onPress={() => accept.mutate()}>
        {texts.accept}
      </Button>
    </>
  );
}

/** The link of an invitation. Its token stands behind the `#`, so no server log has it. */
export function Setup() {
  const texts = useTexts(sessionTexts);
  const hash = useLocation({ select: ({ hash: now }) => now });
  // The address is that of the next screen before this one is gone.
  const lastHash = useRef(hash);
  if (hash !== '') lastHash.current = hash;
  const token = lastHash.current;
  const { data, error } = useQuery({ queryKey: ['setup', token], queryFn: () => auth.lookAtSetup(token) });
  return (
    <Entrance title={texts.setupTitle}>
      {error !== null && <ErrorNote error={error} />}
      {data === undefined && error === null && <Pending />}
      {data !== undefined && (
        <>
          <p>{data.account_name === null ? texts.resetText : texts.setupText(data.account_name)}</p>
          {data.needs === 'password' ? (
            <SetupForm token={token} name={data.name} email={data.email} />
          ) : (
            <Accept token={token} needs={data.needs} />
          )}
        </>
      )}
    </Entrance>
  );
}
