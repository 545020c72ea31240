import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities.ts';
import type { CaseKind } from '../steps.ts';
import { show, WakeUps } from './status.ts';

const { caseStep } = proxyActivities<Pick<Activities, 'caseStep'>>({
  startToCloseTimeout: '60 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/**
 * A case of one object, by the kind under which it was begun: each step does what is due and says when to look again.
 *
 * It ends only when no look was asked for during its last step, so a signal that came meanwhile is never lost.
 */
export async function followCase(key: string): Promise<void> {
  // `workflows.ts` exports it under these kinds alone.
  const kind = workflowInfo().workflowType as CaseKind;
  const wakeUps = new WakeUps();
  for (;;) {
    wakeUps.take();
    const step = await caseStep({ kind, key });
    if (!step.done) show(step);
    if (wakeUps.take()) continue;
    if (step.done) break;
    if (workflowInfo().continueAsNewSuggested) return continueAsNew<typeof followCase>(key);
    await wakeUps.wait(step.dueInSeconds);
  }
  show({ status: 'over', note: 'nothing is left to do', dueInSeconds: null });
}
