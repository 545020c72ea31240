import type { Member, MemberLink } from '../../../contract/members.ts';
import type { Role } from '../../../contract/roles.ts';
import { auth } from '../../api/auth.ts';
import { useRead } from '../../api/queries.ts';
import { useScope } from '../../api/session.ts';

export type { Member, MemberLink };

const memberPath = (id: string): string => `/staff/${encodeURIComponent(id)}`;

/** What an owner does with the people of the account that the screen shows. */
export function useStaff() {
  const { account } = useScope();
  return {
    list: () => auth.ofAccount<{ data: readonly Member[] }>(account, 'GET', '/staff'),
    invite: (invitation: { email: string; role: Role }) =>
      auth.ofAccount<MemberLink>(account, 'POST', '/staff', invitation),
    changeRole: (id: string, role: Role) => auth.ofAccount<Member>(account, 'PATCH', memberPath(id), { role }),
    makeLink: (id: string) => auth.ofAccount<MemberLink>(account, 'POST', `${memberPath(id)}/link`, {}),
    remove: (id: string) => auth.ofAccount<object>(account, 'DELETE', memberPath(id)),
  };
}

export const useMembers = () => {
  const { list } = useStaff();
  return useRead(['staff'], list);
};

/** Whether nobody else could decide of the people any more: they stay an owner. */
export const isLastOwner = (members: readonly Member[], { id }: Member): boolean => {
  const owners = members.filter(({ role, is_set_up: isSetUp }) => role === 'owner' && isSetUp);
  return owners.length === 1 && owners[0]?.id === id;
};

/** What people call somebody of whom no name is known yet. */
export const nameOf = ({ name, email }: Member): string => (name === '' ? email : name);
