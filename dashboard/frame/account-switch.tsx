import { useNavigate } from '@tanstack/react-router';
import { useMembership, useSession } from '../api/session.ts';
import { Choice } from '../parts/field.tsx';
import { useSharedTexts } from '../texts/shared.ts';

/** Which account is shown; a list where the person belongs to several. */
export function AccountSwitch() {
  const { frame } = useSharedTexts();
  const { accounts } = useSession();
  const { id, name } = useMembership();
  const navigate = useNavigate();
  if (accounts.length < 2) return <span className="account-name">{name}</span>;
  // Another account has other objects: its first screen is the place that both have.
  const choose = (account: string): void => void navigate({ to: '/', search: { account } });
  return (
    <Choice
      label={frame.account}
      isLabelHidden
      value={id}
      options={accounts.map((one) => [one.id, one.name] as const)}
      onChange={choose}
    />
  );
}
