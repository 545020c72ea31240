import { useNavigate } from '@tanstack/react-router';
import { auth } from '../../api/auth.ts';
import { takeSession } from '../../api/query-client.ts';
import { useSession } from '../../api/session.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { useTexts } from '../../texts/language.tsx';
import { type Member, nameOf, useStaff } from './staff.ts';
import { teamTexts } from './texts.ts';

/** Leads whoever has just left an account to another one, or out. */
function useLeave(): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    const session = await auth.session();
    const [other] = session.accounts;
    // The screen is left before what it shows is of nobody any more.
    if (other === undefined) await navigate({ to: '/sign-in', search: { refused: 'NO_ACCOUNT' } });
    else await navigate({ to: '/', search: { account: other.id } });
    takeSession(session);
  };
}

interface RemoveDialogProps {
  readonly member: Member;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Takes somebody, or an invitation, from the account. */
export function RemoveDialog({ member, isOpen, onClose }: RemoveDialogProps) {
  const texts = useTexts(teamTexts);
  const { staff } = useSession();
  const { remove } = useStaff();
  const leave = useLeave();
  const isOwn = member.id === staff.id;
  const act = async (): Promise<void> => {
    await remove(member.id);
    if (isOwn) await leave();
  };
  const name = nameOf(member);
  return (
    <Confirm
      title={texts.removeTitle(name)}
      action={member.is_set_up ? texts.remove : texts.removeInvite}
      act={act}
      done={texts.removed}
      isDanger
      isOpen={isOpen}
      onClose={onClose}
    >
      <p>{member.is_set_up ? texts.removeText(name) : texts.removeInviteText(name)}</p>
      {isOwn && <p className="note warn">{texts.removeYou}</p>}
    </Confirm>
  );
}
