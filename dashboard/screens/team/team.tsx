import { type ReactNode, useState } from 'react';
import { useMembership, useSession } from '../../api/session.ts';
import { ActionMenu } from '../../parts/action-menu.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { type Column, Rows } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { Status } from '../../parts/status.tsx';
import { toast } from '../../parts/toast.tsx';
import { When } from '../../parts/when.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { LinkDialog, type LinkFor } from './link-dialog.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { RoleDialog } from './role-dialog.tsx';
import { isLastOwner, type Member, nameOf, useMembers } from './staff.ts';
import { teamTexts } from './texts.ts';

const MS_IN_SECOND = 1_000;

/** Why the person may not decide of the people, in a sentence; null: they may. */
function useOwnerRefusal(): string | null {
  const { role } = useMembership();
  const { parts, roles } = useSharedTexts();
  return role === 'owner' ? null : parts.mayNot(roles[role]);
}

interface MemberActionsProps {
  readonly member: Member;
  readonly members: readonly Member[];
  readonly makeLink: (member: Member) => void;
}

function MemberActions({ member, members, makeLink }: MemberActionsProps) {
  const texts = useTexts(teamTexts);
  const refused = useOwnerRefusal();
  const [asked, setAsked] = useState<'role' | 'remove' | null>(null);
  const close = (): void => setAsked(null);
  const stays = isLastOwner(members, member) ? texts.lastOwner : null;
  const { is_set_up: isSetUp } = member;
  return (
    <>
      <ActionMenu
        of={texts.actionsOf(nameOf(member))}
        actions={[
          { id: 'role', name: texts.changeRole, run: () => setAsked('role'), refused: refused ?? stays },
          { id: 'link', name: isSetUp ? texts.reset : texts.newInvite, run: () => makeLink(member), refused },
          {
            id: 'remove',
            name: isSetUp ? texts.remove : texts.removeInvite,
            run: () => setAsked('remove'),
            refused: refused ?? stays,
            isDanger: true,
          },
        ]}
      />
      <RoleDialog member={asked === 'role' ? member : null} onClose={close} />
      <RemoveDialog member={member} isOpen={asked === 'remove'} onClose={close} />
    </>
  );
}

function Who({ member }: { member: Member }) {
  const texts = useTexts(teamTexts);
  const { staff } = useSession();
  return (
    <span className="person">
      <span className="person-name">
        {nameOf(member)} {member.id === staff.id && <Status tone="calm">{texts.you}</Status>}
      </span>
      {member.name !== '' && <small>{member.email}</small>}
    </span>
  );
}

/** How somebody signs in, or until when their invitation is good. */
function Ways({ member: { signs_in_by: ways, expires_at: end } }: { member: Member }): ReactNode {
  const texts = useTexts(teamTexts);
  const { moment } = useFormat();
  if (end !== null) {
    const isOver = end * MS_IN_SECOND < Date.now();
    return (
      <Status tone={isOver ? 'warn' : 'calm'}>{isOver ? texts.inviteOver : texts.inviteUntil(moment(end))}</Status>
    );
  }
  if (ways === null) return '—';
  return ways.length === 0 ? texts.noWay : ways.map((way) => texts.ways[way]).join(', ');
}

function Members({ members, makeLink }: Omit<MemberActionsProps, 'member'>) {
  const texts = useTexts(teamTexts);
  const { roles } = useSharedTexts();
  const columns: readonly Column<Member>[] = [
    { id: 'person', name: texts.person, isHead: true, show: (member) => <Who member={member} /> },
    { id: 'role', name: texts.role, show: ({ role }) => roles[role] },
    { id: 'ways', name: texts.entersBy, show: (member) => <Ways member={member} /> },
    {
      id: 'seen',
      name: texts.lastUse,
      show: ({ last_seen_at: at }) => (at === null ? texts.never : <When at={at} />),
    },
    {
      id: 'actions',
      name: texts.changeRole,
      isNameHidden: true,
      isCorner: true,
      align: 'end',
      show: (member) => <MemberActions member={member} members={members} makeLink={makeLink} />,
    },
  ];
  return <Rows label={texts.title} rows={members} columns={columns} />;
}

/** Who works in the account. */
export function Team() {
  const texts = useTexts(teamTexts);
  const refused = useOwnerRefusal();
  const { data, error, refetch } = useMembers();
  const [linkFor, setLinkFor] = useState<LinkFor>(null);
  const invite = (): void => (refused === null ? setLinkFor('somebody') : toast(refused));
  return (
    <Page
      title={texts.title}
      actions={
        <Button kind="primary" onPress={invite}>
          {texts.invite}
        </Button>
      }
    >
      <p className="soft">{refused === null ? texts.text : texts.onlyOwner}</p>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Pending />}
      {data !== undefined && <Members members={data.data} makeLink={setLinkFor} />}
      <LinkDialog of={linkFor} onClose={() => setLinkFor(null)} />
    </Page>
  );
}
