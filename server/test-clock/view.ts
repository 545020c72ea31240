import type { TestClock } from '../../contract/sandbox.ts';
import type { Timestamp } from '../kernel/time.ts';

/** The clock as the API shows it; `target` is null unless it is being advanced. */
export const viewTestClock = ({ now, target }: { now: Timestamp; target: Timestamp | null }): TestClock => ({
  object: 'test_clock',
  now,
  status: target === null ? 'ready' : 'advancing',
  target,
});
