import { continueAsNew, proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities, DeliveryRef, LadderStep } from '../activities.ts';
import { attemptsOf } from './queues.ts';
import { show, WakeUps } from './status.ts';

const { ladderStep } = proxyLocalActivities<Pick<Activities, 'ladderStep'>>({ startToCloseTimeout: '10 seconds' });

const attempts = (taskQueue: string) =>
  proxyActivities<Pick<Activities, 'attemptDelivery'>>({
    taskQueue: attemptsOf(taskQueue),
    startToCloseTimeout: '60 seconds',
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
  });

/** Attempts 2 to 10 of one event at one endpoint: the database says what is due, this waits for it. */
export async function webhookDelivery(ref: DeliveryRef): Promise<string> {
  const wakeUps = new WakeUps();
  const { attemptDelivery } = attempts(workflowInfo().taskQueue);
  // The signal that started it asks for the look that it begins with.
  wakeUps.take();
  let step: LadderStep = await ladderStep(ref);
  while (!step.done) {
    show(step);
    if (workflowInfo().continueAsNewSuggested) return continueAsNew<typeof webhookDelivery>(ref);
    if (step.dueInSeconds > 0) await wakeUps.wait(step.dueInSeconds);
    step = wakeUps.take() ? await ladderStep(ref) : await attemptDelivery(ref);
  }
  show({ ...step, dueInSeconds: null });
  return step.note;
}
