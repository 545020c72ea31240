import type { ReactNode } from 'react';

/** `good`: done; `calm`: goes on by itself; `warn`: somebody should look; `bad`: failed; `off`: over. */
export type Tone = 'good' | 'calm' | 'warn' | 'bad' | 'off';

export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`status ${tone}`}>{children}</span>;
}
