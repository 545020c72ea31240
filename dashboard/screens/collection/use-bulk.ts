import { useRef, useState } from 'react';
import { useRefresh } from '../../api/queries.ts';
import type { SendOptions } from '../../parts/act.ts';

export type Outcome =
  | { readonly state: 'waiting' | 'working' | 'done' }
  | { readonly state: 'refused'; error: unknown };

const WAITING: Outcome = { state: 'waiting' };

/**
 * Does the same with each of several objects, one after the other, and tells of each what became of it. The key of each is
 * made once, so whoever asks again for those that were refused asks for the same change.
 */
export function useBulk(ids: readonly string[], act: (id: string, options: SendOptions) => PromiseLike<unknown>) {
  const refresh = useRefresh();
  const [keys] = useState(() => new Map(ids.map((id) => [id, crypto.randomUUID()])));
  const [outcomes, setOutcomes] = useState<Readonly<Record<string, Outcome>>>({});
  const [isRunning, setRunning] = useState(false);
  const runs = useRef(false);
  const outcomeOf = (id: string): Outcome => outcomes[id] ?? WAITING;
  const tell = (id: string, outcome: Outcome): void => setOutcomes((before) => ({ ...before, [id]: outcome }));

  async function one(id: string): Promise<void> {
    tell(id, { state: 'working' });
    try {
      await act(id, { idempotencyKey: keys.get(id) ?? '' });
      tell(id, { state: 'done' });
    } catch (error) {
      tell(id, { state: 'refused', error });
    }
  }

  async function run(): Promise<void> {
    if (runs.current) return;
    runs.current = true;
    setRunning(true);
    for (const id of ids) if (outcomeOf(id).state !== 'done') await one(id);
    runs.current = false;
    setRunning(false);
    await refresh();
  }

  const count = (state: Outcome['state']): number => ids.filter((id) => outcomeOf(id).state === state).length;
  return { run, isRunning, outcomeOf, done: count('done'), refused: count('refused') };
}
