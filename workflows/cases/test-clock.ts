import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { instantText } from '../../server/kernel/time.ts';
import type { Activities } from '../activities.ts';
import { advancesOf } from './queues.ts';
import { show, WakeUps } from './status.ts';

/** A slice of an advance at a time: those of other clocks have their turns between two of them. */
const slices = (taskQueue: string) =>
  proxyActivities<Pick<Activities, 'advanceClock'>>({
    taskQueue: advancesOf(taskQueue),
    startToCloseTimeout: '5 minutes',
    heartbeatTimeout: '10 seconds',
    retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
  });

/** The test clock of an account on its way to a later instant: whatever falls due before it is done at its own (docs/product/test-clock.md#advancing). `before`: done in its former histories. */
export async function testClock(accountId: string, before = 0): Promise<string> {
  const wakeUps = new WakeUps();
  const { advanceClock } = slices(workflowInfo().taskQueue);
  let performed = before;
  for (;;) {
    wakeUps.take();
    const status = await advanceClock(accountId);
    performed += status.performed;
    const note = `${instantText(status.now)}: ${performed} things done`;
    if (status.target !== null)
      show({ status: 'advancing', note: `${note}; on the way to ${instantText(status.target)}`, dueInSeconds: 0 });
    if (wakeUps.take() || !status.done) {
      if (workflowInfo().continueAsNewSuggested) return continueAsNew<typeof testClock>(accountId, performed);
      if (status.waitsSeconds !== undefined) await wakeUps.wait(status.waitsSeconds, 'the posts of the next minute');
      continue;
    }
    show({ status: 'over', note, dueInSeconds: null });
    return note;
  }
}
