import { randomBytes } from 'node:crypto';
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import type { AdvanceStatus } from '../../../server/test-clock/loop.ts';
import { builtWorkflows } from '../../../workflows/bundle.ts';
import { advancesOf } from '../../../workflows/cases/queues.ts';
import { dataConverter, openClient } from '../../../workflows/temporal.ts';
import { newSecretBox } from '../../support/secret-box.ts';

const TEST_MS = 60_000;
/** With answers as long as these, more than one history of a workflow takes. */
const SLICES = 30;
const ANSWER_BYTES = 500_000;

test(
  'regression-31-a clock whose way took more than one history tells how much it did on all of it',
  async () => {
    const address = inject('temporalAddress');
    const taskQueue = `test-${randomBytes(6).toString('hex')}`;
    const box = newSecretBox();
    const connection = await NativeConnection.connect({ address });
    const client = openClient({ address, namespace: 'default', apiKey: null, tls: null }, box);
    let slices = 0;
    const advanceClock = async (): Promise<AdvanceStatus> => {
      slices += 1;
      const done = slices === SLICES;
      const standing = { done, now: 1_800_000_000, target: done ? null : 1_900_000_000, performed: 1 };
      return Object.assign(standing, { padding: '-'.repeat(ANSWER_BYTES) });
    };
    const common = { connection, dataConverter: dataConverter(box) };
    const [cases, advances] = await Promise.all([
      Worker.create({ ...common, taskQueue, workflowBundle: builtWorkflows() }),
      Worker.create({ ...common, taskQueue: advancesOf(taskQueue), activities: { advanceClock } }),
    ]);
    const over = client.workflow.execute('test-clock', { workflowId: taskQueue, taskQueue, args: ['acct_1'] });
    const [note] = await Promise.all([cases.runUntil(over), advances.runUntil(over)]);
    await client.connection.close();
    await connection.close();
    expect(note).toMatch(new RegExp(` UTC: ${SLICES} things done$`));
  },
  TEST_MS,
);
