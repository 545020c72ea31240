import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import type pg from 'pg';
import type { Logger } from 'pino';
import { Loop } from '../server/jobs/loop.ts';
import { RoundRobin } from '../server/jobs/round-robin.ts';
import { isLive, type Mode } from '../server/kernel/mode.ts';
import { machineTimeMs } from '../server/kernel/time.ts';
import type { Tracing } from '../server/kernel/tracing.ts';
import {
  claimOutbox,
  completeOutbox,
  failOutbox,
  type OutboxRow,
  type OutboxWork,
  releaseOutbox,
} from '../server/outbox/outbox.ts';
import type { OutboxKind } from '../server/waiting.ts';
import type { DeliveryRef } from './activities.ts';
import { faturaAccount, faturaObject } from './cases/attributes.ts';
import { lookAgain } from './cases/status.ts';
import { answers, isTemporalAway } from './temporal.ts';

const POLL_MS = 1_000;
/** Cases that begin at once: those of one account, and all. */
const SHARE_MAX = 10;
const BATCH_MAX = 50;
const AWAY_MS = 1_000;
const START_DEADLINE_MS = 10_000;

function readDeliveryKey(key: string): DeliveryRef {
  const [eventId, endpointId, ladder] = key.split('/');
  if (eventId === undefined || endpointId === undefined) throw new Error(`not a delivery: ${key}`);
  return { eventId, endpointId, ladder: Number(ladder) };
}

/** What a case is started with, should it not run yet: it is told to look again in any event. */
const argsOf = (kind: OutboxKind, key: string): [DeliveryRef | string] =>
  kind === 'webhook-delivery' ? [readDeliveryKey(key)] : [key];

/** The id of the object that a case is about. */
const objectOf = (key: string): string => key.split('/')[0] ?? key;

/** The workflow of a kind; the compiler knows that each has one. */
const typeOf = (kind: OutboxKind): OutboxKind & keyof typeof import('./workflows.ts') => kind;

const accountKey = defineSearchAttributeKey(faturaAccount.name, faturaAccount.type);
const objectKey = defineSearchAttributeKey(faturaObject.name, faturaObject.type);

interface RelayOptions {
  readonly mode: Mode;
  readonly work: OutboxWork;
  readonly pool: pg.Pool;
  readonly client: Client;
  readonly taskQueue: string;
  readonly logger: Logger;
  readonly tracing: Tracing;
  /** While Temporal is away nothing is claimed, so nothing fails. */
  readonly isTemporalUp: () => boolean;
}

async function startCase({ client, taskQueue }: RelayOptions, row: OutboxRow): Promise<void> {
  const options = {
    workflowId: `${row.kind}/${row.key}`,
    taskQueue,
    args: argsOf(row.kind, row.key),
    typedSearchAttributes: new TypedSearchAttributes([
      { key: accountKey, value: row.accountId },
      { key: objectKey, value: objectOf(row.key) },
    ]),
  };
  await client.withDeadline(machineTimeMs() + START_DEADLINE_MS, async () => {
    await client.workflow.signalWithStart(typeOf(row.kind), { ...options, signal: lookAgain, signalArgs: [] });
  });
}

/** What came of a row; `error` is null when its case runs. */
interface Outcome {
  readonly row: OutboxRow;
  readonly error: unknown;
}

const rowOf = ({ row }: Outcome): OutboxRow => row;

async function begin(options: RelayOptions, row: OutboxRow): Promise<Outcome> {
  try {
    const { kind, key, accountId, traceparent: after } = row;
    const ids = { 'fatura.account': accountId, 'fatura.mode': options.mode, 'fatura.object': key };
    const part = { name: `outbox ${kind}`, kind: 'consumer', after, ids } as const;
    await options.tracing.span(part, () => startCase(options, row));
    return { row, error: null };
  } catch (error) {
    return { row, error: error ?? new Error('no reason given') };
  }
}

/** Claims rows of each account in its turn; answers how long to wait for the next, too. */
async function claimInTurn(
  { mode, work, pool }: RelayOptions,
  roundRobin: RoundRobin,
): Promise<{ rows: OutboxRow[]; waitMs: number }> {
  const bounds = { share: SHARE_MAX, max: BATCH_MAX };
  const rows = await claimOutbox(pool, { liveMode: isLive(mode), work, after: roundRobin.after, ...bounds });
  const accounts = rows.map(({ accountId }) => accountId);
  const byAccount = Map.groupBy(accounts, (accountId) => accountId);
  const isShareFull = [...byAccount.values()].some(({ length }) => length >= SHARE_MAX);
  return { rows, waitMs: roundRobin.took(accounts, BATCH_MAX) || isShareFull ? 0 : POLL_MS };
}

/** Relays one batch, and answers how long to wait for the next. */
async function relayBatch(options: RelayOptions, roundRobin: RoundRobin, reached: () => void): Promise<number> {
  const { pool, client, logger, isTemporalUp } = options;
  if (!isTemporalUp()) return POLL_MS;
  const { rows, waitMs } = await claimInTurn(options, roundRobin);
  reached();
  if (rows.length === 0) return waitMs;
  const outcomes = await Promise.all(rows.map((row) => begin(options, row)));
  // What one row met may be its own doing: Temporal is away only if it does not answer a ping either.
  const isAway = outcomes.some(({ error }) => isTemporalAway(error)) && !(await answers(client));
  const begun = outcomes.filter(({ error }) => error === null);
  const kept = outcomes.filter(({ error }) => isAway && isTemporalAway(error));
  const failed = outcomes.filter((outcome) => !begun.includes(outcome) && !kept.includes(outcome));
  for (const { row, error } of failed) {
    const { kind, key, failures } = row;
    logger.error({ err: error, kind, key, failures }, 'a case could not be started');
  }
  await completeOutbox(pool, begun.map(rowOf));
  await failOutbox(pool, failed.map(rowOf));
  await releaseOutbox(pool, kept.map(rowOf));
  if (isAway) return AWAY_MS;
  return waitMs;
}

/** Turns committed outbox rows of a mode and work into running cases (docs/design/outbox-and-cases.md#the-relay). */
export function startRelay(options: RelayOptions): Loop {
  const roundRobin = new RoundRobin();
  return new Loop({
    logger: options.logger,
    what: `the outbox (${options.mode}, ${options.work})`,
    turn: (reached) => relayBatch(options, roundRobin, reached),
    retryMs: AWAY_MS,
  });
}
