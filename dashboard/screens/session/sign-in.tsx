import { FaturaError, type FaturaErrorCode, isFaturaError } from '@fatura/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Form } from 'react-aria-components';
import { auth, oidcUrl, type Session } from '../../api/auth.ts';
import { takeSession } from '../../api/query-client.ts';
import { ROOT } from '../../api/root.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Field } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { hasPasskeys, usePasskey } from './passkey.ts';
import { sessionTexts } from './texts.ts';
import { useProof } from './use-proof.ts';

/** A page before somebody is signed in. */
export function Entrance({ title, children }: { title: string; children: ReactNode }) {
  const { language, choose } = useLanguage();
  return (
    <main className="entrance">
      <p className="product">Fatura</p>
      <div className="panel">
        <Page title={title}>{children}</Page>
      </div>
      <Button kind="quiet" onPress={() => choose(language === 'pt' ? 'en' : 'pt')}>
        {language === 'pt' ? 'English' : 'Português'}
      </Button>
    </main>
  );
}

/** Goes where one wanted to be; `to` is an address within the dashboard. */
export function useEnter(): (session: Session) => void {
  const { history } = useRouter();
  const navigate = useNavigate();
  const { to } = useSearch({ strict: false }) as { to?: string };
  return (session) => {
    takeSession(session);
    if (to === undefined) void navigate({ to: '/' });
    else history.push(ROOT + to);
  };
}

/** Password first; the code is asked for where the person has one. */
export function ByPassword({ entered }: { entered: (session: Session) => void }) {
  const texts = useTexts(sessionTexts);
  const [wantsCode, setWantsCode] = useState(false);
  const { submit, isPending, error } = useProof(async ({ password, code }, data) => {
    try {
      return await auth.login({ email: String(data.get('email')).trim(), password, ...code });
    } catch (refusal) {
      if (isFaturaError(refusal) && String(refusal.code) === 'TOTP_REQUIRED') setWantsCode(true);
      throw refusal;
    }
  }, entered);
  const isFirstAsk = isFaturaError(error) && String(error.code) === 'TOTP_REQUIRED';
  return (
    <Form className="form" onSubmit={submit}>
      <Field label={texts.email} name="email" type="email" autoComplete="username webauthn" isRequired />
      <Field label={texts.password} name="password" type="password" autoComplete="current-password" isRequired />
      {wantsCode && (
        <Field
          label={texts.code}
          hint={texts.codeHint}
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          isRequired
          autoFocus
        />
      )}
      {error !== null && !isFirstAsk && <ErrorNote error={error} />}
      <Button kind="primary" type="submit" isPending={isPending}>
        {texts.signIn}
      </Button>
    </Form>
  );
}

/** What the way to the provider and back came to. */
const refusal = (code: string): FaturaError =>
  new FaturaError({ message: code, code: code as FaturaErrorCode, type: 'client_error' });

export function SignIn() {
  const texts = useTexts(sessionTexts);
  const enter = useEnter();
  const { to = '/', refused } = useSearch({ strict: false }) as { to?: string; refused?: string };
  const passkey = usePasskey(auth.loginByPasskey, enter);
  const { data: methods, error, refetch } = useQuery({ queryKey: ['methods'], queryFn: auth.methods });
  return (
    <Entrance title={texts.signInTitle}>
      {refused !== undefined && <ErrorNote error={refusal(refused)} />}
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {methods === undefined && error === null && <Pending />}
      {methods?.password && (
        <>
          <ByPassword entered={enter} />
          {hasPasskeys() && (
            <>
              <p className="or">{texts.or}</p>
              <Button isPending={passkey.isPending} onPress={passkey.run}>
                {texts.byPasskey}
              </Button>
            </>
          )}
          {passkey.error !== null && <ErrorNote error={passkey.error} />}
        </>
      )}
      {methods?.oidc && (
        <a className="button secondary" href={oidcUrl(ROOT + to)}>
          {texts.byProvider}
        </a>
      )}
      {methods !== undefined && !methods.password && !methods.oidc && <p>{texts.noMethod}</p>}
    </Entrance>
  );
}
