import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { useMay } from '../api/may.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useSharedTexts } from '../texts/shared.ts';
import { BOTTOM, icons, type RailItem, railGroups } from './rail-items.ts';

function Icon({ path }: { path: string | undefined }) {
  if (path === undefined) return null;
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

/** Items that the person may look at. */
function useItems(): (items: readonly RailItem[]) => readonly RailItem[] {
  const may = useMay();
  return (items) => items.filter(({ operation }) => operation === undefined || may(operation));
}

function RailLink({ item, followed }: { item: RailItem; followed?: (() => void) | undefined }) {
  const { rail } = useSharedTexts();
  return (
    <Link
      to={item.to as '/'}
      search={{}}
      activeOptions={{ exact: item.to === '/' || item.under !== undefined, includeSearch: false }}
      activeProps={{ className: 'rail-link active', 'aria-current': 'page' }}
      inactiveProps={{ className: 'rail-link' }}
      onClick={followed}
    >
      <Icon path={icons[item.name]} />
      <span>{rail[item.name]}</span>
    </Link>
  );
}

function Groups({ followed }: { followed?: () => void }) {
  const there = useItems();
  return railGroups.map(there).map(
    (items) =>
      items.length > 0 && (
        <ul key={items[0]?.to} className="rail-group">
          {items.map((item) => (
            <li key={item.to}>
              <RailLink item={item} followed={followed} />
              {there(item.under ?? []).length > 0 && (
                <ul>
                  {there(item.under ?? []).map((one) => (
                    <li key={one.to}>
                      <RailLink item={one} followed={followed} />
                    </li>
                  ))}
                </ul>
              )}
            </li>
          ))}
        </ul>
      ),
  );
}

/** Where one can go, at the left of a desk. */
export function Rail() {
  const { rail } = useSharedTexts();
  return (
    <nav className="rail" aria-label={rail.label}>
      <Groups />
    </nav>
  );
}

/** The same at the bottom of a phone: what is used most, and all of it in a window. */
export function BottomBar() {
  const { rail } = useSharedTexts();
  const there = useItems();
  const [isOpen, setOpen] = useState(false);
  const items = there(railGroups.flat()).filter(({ name }) => BOTTOM.includes(name));
  return (
    <nav className="bottom" aria-label={rail.label}>
      {items.map((item) => (
        <RailLink key={item.to} item={item} />
      ))}
      <AriaButton className="rail-link" aria-haspopup="dialog" onPress={() => setOpen(true)}>
        <Icon path={icons.menu} />
        <span>{rail.menu}</span>
      </AriaButton>
      <Dialog title={rail.menu} isOpen={isOpen} onClose={() => setOpen(false)}>
        <nav className="rail-window" aria-label={rail.menu}>
          <Groups followed={() => setOpen(false)} />
        </nav>
      </Dialog>
    </nav>
  );
}
