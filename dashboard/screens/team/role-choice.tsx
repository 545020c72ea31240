import { Label, Radio, RadioGroup } from 'react-aria-components';
import { type Role, roleNames } from '../../../contract/roles.ts';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { teamTexts } from './texts.ts';

interface RoleChoiceProps {
  readonly role: Role;
  readonly choose: (role: Role) => void;
}

/** One of the roles, with what each may do. */
export function RoleChoice({ role, choose }: RoleChoiceProps) {
  const texts = useTexts(teamTexts);
  const { roles } = useSharedTexts();
  const take = (value: string): void => {
    const taken = roleNames.find((one) => one === value);
    if (taken !== undefined) choose(taken);
  };
  return (
    <RadioGroup className="field" value={role} onChange={take}>
      <Label className="label">{texts.role}</Label>
      {roleNames.map((one) => (
        <Radio key={one} value={one} className="radio told">
          <span>
            {roles[one]}
            <span className="hint">{texts.roleTexts[one]}</span>
          </span>
        </Radio>
      ))}
    </RadioGroup>
  );
}
