import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { useSharedTexts } from '../texts/shared.ts';
import { toast } from './toast.tsx';

export interface Action {
  readonly id: string;
  readonly name: string;
  readonly run: () => void;
  /** Why it is refused now, in a sentence; null or absent: it is not. */
  readonly refused?: string | null;
  readonly isDanger?: boolean;
}

interface ActionMenuProps {
  readonly actions: readonly Action[];
  readonly label?: string;
  /** Whose they are, for whoever hears the button of a row. */
  readonly of?: string;
}

/** What can be done, and why not where it cannot: a refused action stays in its place and says so. */
export function ActionMenu({ actions, label, of }: ActionMenuProps) {
  const { parts } = useSharedTexts();
  const run = (id: string | number): void => {
    const action = actions.find((one) => one.id === id);
    if (action === undefined) return;
    if (action.refused == null) action.run();
    else toast(action.refused);
  };
  return (
    <MenuTrigger>
      <AriaButton className="button secondary">
        <span>
          {label ?? parts.actions}
          {of !== undefined && <span className="visually-hidden"> {of}</span>}
        </span>
        <svg className="chevron" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M4 6l4 4 4-4" />
        </svg>
      </AriaButton>
      <Popover className="popover" placement="bottom end">
        <Menu className="menu" onAction={run}>
          {actions.map(({ id, name, refused = null, isDanger = false }) => (
            <MenuItem key={id} id={id} textValue={name} className={`menu-item${isDanger ? ' danger' : ''}`}>
              <span className={refused === null ? '' : 'refused'}>{name}</span>
              {refused !== null && <span className="hint">{refused}</span>}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
