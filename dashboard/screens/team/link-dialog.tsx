import { isFaturaError } from '@fatura/sdk';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import type { Role } from '../../../contract/roles.ts';
import { useAct } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Field } from '../../parts/field.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { RoleChoice } from './role-choice.tsx';
import { type Member, type MemberLink, nameOf, useStaff } from './staff.ts';
import { teamTexts } from './texts.ts';

/** The link, this once. */
function Shown({ made: { link, mail, member }, onClose }: { made: MemberLink; onClose: () => void }) {
  const texts = useTexts(teamTexts);
  const lead = { sent: texts.linkSent, not_sent: texts.linkNotSent, off: texts.linkToHand }[mail];
  return (
    <>
      <div className="dialog-body" role="status">
        <p className={mail === 'not_sent' ? 'note warn' : ''}>{lead(member.email)}</p>
        <Copyable text={link} name={texts.theLink} />
        <p className="soft">{texts.linkOnce}</p>
      </div>
      <div className="dialog-foot">
        <Button kind="primary" onPress={onClose}>
          {texts.finish}
        </Button>
      </div>
    </>
  );
}

function InviteForm({ made, onClose }: { made: (link: MemberLink) => void; onClose: () => void }) {
  const texts = useTexts(teamTexts);
  const { parts } = useSharedTexts();
  const { invite } = useStaff();
  const [role, setRole] = useState<Role>('support');
  const { run, isPending, error } = useAct(invite, { onDone: made });
  const refusal = isFaturaError(error, 'INVALID_STATE')
    ? error.param === 'email'
      ? texts.alreadyThere
      : texts.full
    : undefined;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    run({ email: String(new FormData(event.currentTarget).get('email')).trim(), role });
  };
  return (
    <Form className="form" onSubmit={submit}>
      <Field label={texts.email} hint={texts.inviteText} name="email" type="email" isRequired autoFocus />
      <RoleChoice role={role} choose={setRole} />
      {error !== null && <ErrorNote error={error}>{refusal}</ErrorNote>}
      <div className="dialog-foot">
        <Button onPress={onClose}>{parts.cancel}</Button>
        <Button kind="primary" type="submit" isPending={isPending}>
          {texts.sendInvite}
        </Button>
      </div>
    </Form>
  );
}

interface NewLinkProps {
  readonly member: Member;
  readonly made: (link: MemberLink) => void;
  readonly onClose: () => void;
}

function NewLink({ member, made, onClose }: NewLinkProps) {
  const texts = useTexts(teamTexts);
  const { parts } = useSharedTexts();
  const { makeLink } = useStaff();
  const { run, isPending, error } = useAct(makeLink, { onDone: made });
  return (
    <>
      <p>{(member.is_set_up ? texts.resetText : texts.newInviteText)(nameOf(member))}</p>
      {error !== null && (
        <ErrorNote error={error}>{isFaturaError(error, 'INVALID_STATE') ? texts.otherAccounts : undefined}</ErrorNote>
      )}
      <div className="dialog-foot">
        <Button onPress={onClose}>{parts.cancel}</Button>
        <Button kind="primary" isPending={isPending} onPress={() => run(member.id)}>
          {texts.makeLink}
        </Button>
      </div>
    </>
  );
}

/** What a link is made for: somebody new, or a person or an invitation that is there; null: none is being made. */
export type LinkFor = 'somebody' | Member | null;

function Steps({ of, onClose }: { of: NonNullable<LinkFor>; onClose: () => void }) {
  const [made, setMade] = useState<MemberLink | null>(null);
  if (made !== null) return <Shown made={made} onClose={onClose} />;
  if (of === 'somebody') return <InviteForm made={setMade} onClose={onClose} />;
  return <NewLink member={of} made={setMade} onClose={onClose} />;
}

/** Makes a link by which somebody comes in, and shows it once. */
export function LinkDialog({ of, onClose }: { of: LinkFor; onClose: () => void }) {
  const texts = useTexts(teamTexts);
  const ofMember = of !== null && of !== 'somebody' && of.is_set_up ? texts.reset : texts.newInvite;
  return (
    <Dialog title={of === 'somebody' ? texts.invite : ofMember} isOpen={of !== null} onClose={onClose} isAlert>
      {of !== null && <Steps of={of} onClose={onClose} />}
    </Dialog>
  );
}
