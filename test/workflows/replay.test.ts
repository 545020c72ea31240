import { readdirSync } from 'node:fs';
import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { builtWorkflows } from '../../workflows/bundle.ts';
import { HISTORIES, readHistory } from './support.ts';

const names = readdirSync(HISTORIES).map((file) => file.replace(/\.json$/, ''));

test('every case has a history, and one run for all', () => {
  expect(names.sort()).toEqual([
    'billing-run',
    'charge-reconciliation',
    'collection',
    'export-file',
    'pix-expiry',
    'pix-settlement',
    'refund-settlement',
    'test-clock',
    'webhook-delivery',
    'webhook-recovery',
  ]);
});

test.each(names)('%s that began before this version goes on under it', async (name) => {
  await Worker.runReplayHistory({ workflowBundle: builtWorkflows() }, readHistory(name), name);
});

test('a history that the workflows would not have made is refused', async () => {
  const history = readHistory('pix-expiry');
  const scheduled = history.events?.find((event) => event.activityTaskScheduledEventAttributes);
  Object.assign(scheduled?.activityTaskScheduledEventAttributes ?? {}, { activityType: { name: 'another' } });
  const replayed = Worker.runReplayHistory({ workflowBundle: builtWorkflows() }, history);
  await expect(replayed).rejects.toThrow(/[Nn]ondeterminism/);
});
