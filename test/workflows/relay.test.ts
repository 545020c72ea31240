import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { readScope } from '../../server/accounts/scope.ts';
import { untraced } from '../../server/kernel/tracing.ts';
import type { Scope } from '../../server/unit-of-work/tx.ts';
import { startRelay } from '../../workflows/relay.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { eventually } from './support.ts';

let api: TestApi;
let scope: Scope;

beforeAll(async () => {
  api = await startApi();
  const { accountId } = await api.newMerchant();
  scope = await readScope(pool(), { accountId, liveMode: false });
});
beforeEach(() => pool().query('DELETE FROM outbox'));
afterAll(async () => {
  await pool().query('DELETE FROM outbox');
  await api.stop();
});

const pool = () => api.composition.deps.pool;

const failuresOf = async (): Promise<[string, number][]> =>
  (await pool().query('SELECT key, failures FROM outbox ORDER BY key')).rows.map(({ key, failures }) => [
    key,
    failures,
  ]);

/** A relay to a Temporal that refuses the case of one key with a gRPC status; it answers pings or not. */
function relayTo(options: { code: number; answersPings: boolean }): { tries: number; begun: string[] } {
  const seen = { tries: 0, begun: [] as string[] };
  const refusal = Object.assign(new Error('refused'), { code: options.code });
  const client = {
    withDeadline: (_: number, act: () => Promise<unknown>) => act(),
    workflow: {
      signalWithStart: async (_: string, { workflowId }: { workflowId: string }) => {
        if (!workflowId.endsWith('/bad')) return void seen.begun.push(workflowId);
        seen.tries += 1;
        throw refusal;
      },
    },
    connection: {
      withDeadline: (_: number, act: () => Promise<unknown>) => act(),
      workflowService: {
        getSystemInfo: async () => {
          if (!options.answersPings) throw refusal;
        },
      },
    },
  };
  const { logger } = api.composition.deps;
  // Of the client the relay uses these calls alone.
  const asClient = client as unknown as Client;
  const relay = startRelay({
    mode: 'sandbox',
    work: 'others',
    pool: pool(),
    client: asClient,
    taskQueue: 'q',
    logger,
    tracing: untraced,
    isTemporalUp: () => true,
  });
  onTestFinished(() => relay.stop());
  return seen;
}

const enqueue = (key: string): Promise<void> =>
  api.composition.deps.transaction(scope, async (tx) => tx.enqueue({ kind: 'pix-settlement', key }));

test.each([8, 13])('a row that alone meets status %i fails with backoff while Temporal answers', async (code) => {
  for (const key of ['bad', 'good']) await enqueue(key);
  relayTo({ code, answersPings: true });
  await eventually('two failures', async () => (await failuresOf()).some(([, failures]) => failures >= 2));
  expect((await failuresOf()).map(([key]) => key)).toEqual(['bad']);
  const { rows } = await pool().query('SELECT due_at > now() AS waits FROM outbox');
  expect(rows).toEqual([{ waits: true }]);
});

test('a row that meets a Temporal that answers no ping either has not failed', async () => {
  await enqueue('bad');
  const seen = relayTo({ code: 13, answersPings: false });
  await eventually('two tries', async () => seen.tries >= 2);
  expect(await failuresOf()).toEqual([['bad', 0]]);
});

test('of one account’s flood ten begin at once, and another’s case waits for no more than those', async () => {
  const FLOOD = 60;
  for (let nth = 0; nth < FLOOD; nth += 1) await enqueue(`flood ${nth}`);
  const { accountId } = await api.newMerchant();
  const other = await readScope(pool(), { accountId, liveMode: false });
  await api.composition.deps.transaction(other, async (tx) => tx.enqueue({ kind: 'pix-settlement', key: 'other' }));
  const { begun } = relayTo({ code: 13, answersPings: true });
  await eventually('all of them', async () => begun.length > FLOOD);
  expect(begun.slice(0, 11)).toContain('pix-settlement/other');
});
