import { isFaturaError } from '@fatura/sdk';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import type { Role } from '../../../contract/roles.ts';
import { auth } from '../../api/auth.ts';
import { takeSession } from '../../api/query-client.ts';
import { useSession } from '../../api/session.ts';
import { useAct } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { RoleChoice } from './role-choice.tsx';
import { type Member, nameOf, useStaff } from './staff.ts';
import { teamTexts } from './texts.ts';

function RoleForm({ member, onClose }: { member: Member; onClose: () => void }) {
  const texts = useTexts(teamTexts);
  const { parts } = useSharedTexts();
  const { staff } = useSession();
  const { changeRole } = useStaff();
  const [role, setRole] = useState<Role>(member.role);
  const isOwn = member.id === staff.id;
  const change = async (taken: Role): Promise<void> => {
    await changeRole(member.id, taken);
    // What the screens offer follows from it.
    if (isOwn) takeSession(await auth.session());
  };
  const { run, isPending, error } = useAct(change, { done: texts.roleChanged, onDone: onClose });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    run(role);
  };
  return (
    <Form className="form" onSubmit={submit}>
      <RoleChoice role={role} choose={setRole} />
      {isOwn && role !== member.role && <p className="note warn">{texts.ownRole}</p>}
      {error !== null && (
        <ErrorNote error={error}>{isFaturaError(error, 'INVALID_STATE') ? texts.lastOwner : undefined}</ErrorNote>
      )}
      <div className="dialog-foot">
        <Button onPress={onClose}>{parts.cancel}</Button>
        <Button kind="primary" type="submit" isPending={isPending}>
          {texts.saveRole}
        </Button>
      </div>
    </Form>
  );
}

interface RoleDialogProps {
  /** Null: nobody's role is being changed. */
  readonly member: Member | null;
  readonly onClose: () => void;
}

export function RoleDialog({ member, onClose }: RoleDialogProps) {
  const texts = useTexts(teamTexts);
  const title = member === null ? '' : texts.changeRoleOf(nameOf(member));
  return (
    <Dialog title={title} isOpen={member !== null} onClose={onClose} isAlert>
      {member !== null && <RoleForm member={member} onClose={onClose} />}
    </Dialog>
  );
}
