import { useMutation, useQuery } from '@tanstack/react-query';
import { Form } from 'react-aria-components';
import { auth, type SessionRow } from '../../api/auth.ts';
import { queryClient, takeSession } from '../../api/query-client.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { errorsByField, Field, HiddenUsername } from '../../parts/field.tsx';
import { type Column, Rows } from '../../parts/list.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { Status } from '../../parts/status.tsx';
import { toast } from '../../parts/toast.tsx';
import { When } from '../../parts/when.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { Passkeys } from './passkeys.tsx';
import { sessionTexts } from './texts.ts';
import { Totp } from './totp.tsx';
import { useProof } from './use-proof.ts';

const SESSIONS = ['sessions'];

/** `Chrome, Linux` of the long line that browsers send. */
function browserOf(agent: string | null): string {
  if (agent === null) return '—';
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(agent)?.[1] ?? agent.slice(0, 40);
  const system = /(Android|iPhone|iPad|Windows|Mac OS X|Linux)/.exec(agent)?.[1];
  return [browser.replace('Edg', 'Edge').replace('OPR', 'Opera'), system?.replace('Mac OS X', 'macOS')]
    .filter(Boolean)
    .join(', ');
}

function useSessionColumns(): readonly Column<SessionRow>[] {
  const { you } = useTexts(sessionTexts);
  const end = useMutation({
    mutationFn: auth.endSession,
    onSuccess: () => {
      toast(you.ended);
      return queryClient.invalidateQueries({ queryKey: SESSIONS });
    },
  });
  return [
    { id: 'browser', name: you.browser, show: ({ user_agent }) => browserOf(user_agent) },
    { id: 'address', name: you.address, show: ({ address }) => address ?? '—' },
    { id: 'since', name: you.since, show: ({ created }) => <When at={created} /> },
    { id: 'seen', name: you.lastSeen, show: ({ last_seen_at }) => <When at={last_seen_at} /> },
    {
      id: 'end',
      name: you.end,
      isNameHidden: true,
      align: 'end',
      show: ({ id, is_current }) =>
        is_current ? (
          <Status tone="good">{you.current}</Status>
        ) : (
          <Button isPending={end.isPending} onPress={() => end.mutate(id)}>
            {you.end}
          </Button>
        ),
    },
  ];
}

function Sessions() {
  const { you } = useTexts(sessionTexts);
  const { data, error, refetch } = useQuery({ queryKey: SESSIONS, queryFn: auth.sessions });
  const columns = useSessionColumns();
  return (
    <Panel title={you.sessions}>
      <p className="soft">{you.sessionsText}</p>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Pending />}
      {data !== undefined && <Rows label={you.sessions} rows={data.data} columns={columns} />}
    </Panel>
  );
}

function Password() {
  const texts = useTexts(sessionTexts);
  const { parts } = useSharedTexts();
  const { sign_in, staff } = useSession();
  const { submit, isPending, error } = useProof(
    ({ password }) => auth.changePassword(password),
    (session) => {
      takeSession(session);
      toast(texts.you.changed);
    },
  );
  return (
    <Panel title={texts.you.password}>
      {!sign_in.has_password && <p className="soft">{texts.you.noPassword}</p>}
      <Form className="form" onSubmit={submit} validationErrors={errorsByField(error, parts.checkField)}>
        <HiddenUsername email={staff.email} />
        <Field
          label={texts.newPassword}
          hint={texts.newPasswordHint}
          name="password"
          type="password"
          autoComplete="new-password"
          isRequired
        />
        {error !== null && <ErrorNote error={error} />}
        <Button type="submit" isPending={isPending}>
          {texts.you.change}
        </Button>
      </Form>
    </Panel>
  );
}

/** How one signs in, and where one is signed in. */
export function You() {
  const { you } = useTexts(sessionTexts);
  const { oidc_only: isByProvider } = useSession().sign_in;
  return (
    <Page title={you.title}>
      <Sessions />
      {!isByProvider && (
        <>
          <Password />
          <Passkeys />
          <Totp />
        </>
      )}
    </Page>
  );
}
