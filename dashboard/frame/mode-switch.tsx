import { Link } from '@tanstack/react-router';
import type { Mode } from '../api/scope.ts';
import { useScope, useSession } from '../api/session.ts';
import { useSharedTexts } from '../texts/shared.ts';

const order: readonly Mode[] = ['sandbox', 'live'];

/** Test or live: the switch keeps the place. A process that serves one mode alone says which. */
export function ModeSwitch() {
  const { frame } = useSharedTexts();
  const { modes } = useSession();
  const { mode } = useScope();
  if (modes.length < 2) {
    return (
      <span className="modes only" title={mode === 'live' ? frame.onlyLive : frame.onlySandbox}>
        {frame[mode]}
        <span className="visually-hidden"> – {mode === 'live' ? frame.onlyLive : frame.onlySandbox}</span>
      </span>
    );
  }
  return (
    <nav className="modes" aria-label={frame.mode}>
      {order.map((one) => (
        <Link
          key={one}
          to="."
          search={(before: object) => ({ ...before, mode: one })}
          replace
          className={one === mode ? `mode ${one} active` : 'mode'}
          aria-current={one === mode ? 'true' : undefined}
        >
          {frame[one]}
        </Link>
      ))}
    </nav>
  );
}
