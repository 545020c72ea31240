import { useSyncExternalStore } from 'react';
import { Form } from 'react-aria-components';
import { auth, freshOidcUrl } from '../api/auth.ts';
import { answerFresh, isAsked, listen } from '../api/fresh.ts';
import { takeSession } from '../api/query-client.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Field, HiddenUsername } from '../parts/field.tsx';
import { hasPasskeys, usePasskey } from '../screens/session/passkey.ts';
import { sessionTexts } from '../screens/session/texts.ts';
import { useProof } from '../screens/session/use-proof.ts';
import { useTexts } from '../texts/language.tsx';
import { useSharedTexts } from '../texts/shared.ts';

function Proofs() {
  const texts = useTexts(sessionTexts);
  const { fresh } = useSharedTexts();
  const { sign_in: by, staff } = useSession();
  const confirmed = (session: Parameters<typeof takeSession>[0]): void => {
    takeSession(session);
    answerFresh(true);
  };
  const password = useProof(({ password, code }) => auth.fresh({ password, ...code }), confirmed);
  const passkey = usePasskey(auth.freshByPasskey, confirmed);
  return (
    <>
      <p>{fresh.text}</p>
      {by.has_password && !by.oidc_only && (
        <Form className="form" onSubmit={password.submit}>
          <HiddenUsername email={staff.email} />
          <Field
            label={texts.password}
            name="password"
            type="password"
            autoComplete="current-password"
            isRequired
            autoFocus
          />
          {by.has_totp && (
            <Field label={texts.code} name="code" inputMode="numeric" autoComplete="one-time-code" isRequired />
          )}
          <Button kind="primary" type="submit" isPending={password.isPending}>
            {texts.confirm}
          </Button>
        </Form>
      )}
      {by.passkeys > 0 && !by.oidc_only && hasPasskeys() && (
        <Button isPending={passkey.isPending} onPress={passkey.run}>
          {texts.byPasskey}
        </Button>
      )}
      {by.oidc_only && (
        <>
          <p className="soft">{fresh.byProviderText}</p>
          <a className="button primary" href={freshOidcUrl(location.pathname + location.search)}>
            {fresh.byProvider}
          </a>
        </>
      )}
      {(password.error ?? passkey.error) !== null && <ErrorNote error={password.error ?? passkey.error} />}
    </>
  );
}

/** Confirms who one is, while a request waits for that. */
export function FreshDialog() {
  const { fresh } = useSharedTexts();
  const isOpen = useSyncExternalStore(listen, isAsked);
  return (
    <Dialog title={fresh.title} isOpen={isOpen} onClose={() => answerFresh(false)}>
      <Proofs />
    </Dialog>
  );
}
