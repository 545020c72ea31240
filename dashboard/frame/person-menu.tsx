import { useNavigate } from '@tanstack/react-router';
import {
  Button as AriaButton,
  Header,
  Menu,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
  Separator,
} from 'react-aria-components';
import { auth } from '../api/auth.ts';
import { forgetSession } from '../api/query-client.ts';
import { useMembership, useSession } from '../api/session.ts';
import { type Language, languages } from '../texts/catalogue.ts';
import { useLanguage } from '../texts/language.tsx';
import { useSharedTexts } from '../texts/shared.ts';
import { type Theme, themes, useTheme } from './theme.tsx';

const languageNames: Readonly<Record<Language, string>> = { pt: 'Português', en: 'English' };

interface ChoicesProps<T extends string> {
  readonly title: string;
  readonly selected: T;
  readonly options: readonly (readonly [T, string])[];
  readonly choose: (choice: T) => void;
}

function Choices<T extends string>({ title, selected, options, choose }: ChoicesProps<T>) {
  return (
    <MenuSection
      selectionMode="single"
      selectedKeys={[selected]}
      disallowEmptySelection
      onSelectionChange={(keys) => {
        const taken = options.find(([one]) => keys !== 'all' && keys.has(one));
        if (taken !== undefined) choose(taken[0]);
      }}
    >
      <Header>{title}</Header>
      {options.map(([id, name]) => (
        <MenuItem key={id} id={id} className="menu-item choice">
          {name}
        </MenuItem>
      ))}
    </MenuSection>
  );
}

/** Who one is, and what one chooses for oneself. */
export function PersonMenu() {
  const { frame, roles } = useSharedTexts();
  const { staff } = useSession();
  const { role } = useMembership();
  const { language, choose } = useLanguage();
  const { theme, choose: chooseTheme } = useTheme();
  const navigate = useNavigate();
  const signOut = async (): Promise<void> => {
    await auth.logout();
    // The screen is left before what it shows is forgotten.
    await navigate({ to: '/sign-in' });
    forgetSession();
  };
  return (
    <MenuTrigger>
      <AriaButton className="person-button" aria-label={`${frame.person}: ${staff.name}`}>
        <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
          <path d="M10 10a3.5 3.5 0 100-7 3.5 3.5 0 000 7zM3.5 17c1-4.5 12-4.5 13 0" />
        </svg>
      </AriaButton>
      <Popover className="popover" placement="bottom end">
        <div className="menu-person">
          <strong>{staff.name}</strong>
          <span className="soft">{staff.email}</span>
          <span className="soft">{roles[role]}</span>
        </div>
        <Menu className="menu" aria-label={frame.person}>
          <MenuItem className="menu-item" onAction={() => void navigate({ to: '/you' })}>
            {frame.security}
          </MenuItem>
          <Separator />
          <Choices
            title={frame.language}
            selected={language}
            options={languages.map((one): [Language, string] => [one, languageNames[one]])}
            choose={choose}
          />
          <Choices
            title={frame.theme}
            selected={theme}
            options={themes.map((one): [Theme, string] => [one, frame.themes[one]])}
            choose={chooseTheme}
          />
          <Separator />
          <MenuItem className="menu-item" onAction={() => void signOut()}>
            {frame.signOut}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
