import { Link, Outlet } from '@tanstack/react-router';
import { useRef } from 'react';
import { scopeKey } from '../api/scope.ts';
import { useScope } from '../api/session.ts';
import { Toasts } from '../parts/toast.tsx';
import { useIsNarrow } from '../parts/use-media.ts';
import { useSharedTexts } from '../texts/shared.ts';
import { AccountSwitch } from './account-switch.tsx';
import { FreshDialog } from './fresh-dialog.tsx';
import { ModeSwitch } from './mode-switch.tsx';
import { PersonMenu } from './person-menu.tsx';
import { BottomBar, Rail } from './rail.tsx';
import { SearchBox } from './search-box.tsx';

function Top() {
  const { frame, product } = useSharedTexts();
  return (
    <header className="top">
      <div className="brand">
        <Link to="/" search={{}} className="product">
          {product}
        </Link>
        <AccountSwitch />
      </div>
      <SearchBox />
      <div className="top-end">
        <span className="soft time-zone">{frame.timeZone}</span>
        <ModeSwitch />
        <PersonMenu />
      </div>
    </header>
  );
}

/** What stays while screens change: the rail, the top, and the windows over all of it. */
export function Frame() {
  const { frame } = useSharedTexts();
  const scope = useScope();
  const main = useRef<HTMLElement>(null);
  const isNarrow = useIsNarrow();
  return (
    <div className={`frame ${scope.mode}`}>
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        {frame.skip}
      </button>
      {scope.mode === 'sandbox' && (
        <aside className="sandbox-band" aria-label={frame.mode}>
          {frame.sandboxBand}
        </aside>
      )}
      <Top />
      {!isNarrow && <Rail />}
      <main id="content" ref={main} tabIndex={-1} key={scopeKey(scope)}>
        <Outlet />
      </main>
      {isNarrow && <BottomBar />}
      <Toasts />
      <FreshDialog />
    </div>
  );
}
