import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import type pg from 'pg';
import type { Logger } from 'pino';
import { Loop } from '../server/db/loop.ts';
import { Paces } from '../server/db/paces.ts';
import { Rotation } from '../server/db/rotation.ts';
import { amountOf } from '../server/kernel/budgets.ts';
import type { Lane, PerLane } from '../server/kernel/lane.ts';
import { machineTimeMs } from '../server/kernel/time.ts';
import type { Metrics } from '../server/metrics.ts';
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
import { lookAgain } from './cases/standing.ts';
import { answers, isTemporalAway } from './temporal.ts';

const POLL_MS = 1_000;
/** How soon those are looked at again that have had what they may have in a second. */
const PACE_MS = 100;
/** So many cases of an account, and of all of a lane, begin without a pause before they are held to their pace: a claim takes no more. */
const AT_ONCE_MAX = 10;
/** So many cases of all accounts of a lane begin in a second: sandboxes leave most of a small machine to live work. */
const LANE_PER_SECOND: PerLane<number> = { live: 100, sandbox: 30 };
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
  readonly lane: Lane;
  readonly work: OutboxWork;
  readonly pool: pg.Pool;
  readonly client: Client;
  readonly taskQueue: string;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'budgets'>;
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
    await startCase(options, row);
    return { row, error: null };
  } catch (error) {
    return { row, error: error ?? new Error('no reason given') };
  }
}

/** Claims rows of each account in its turn and at its pace; answers how long to wait for the next, too. */
class Claims {
  readonly #options: RelayOptions;
  readonly #rotation = new Rotation();
  readonly #perSecond: number;
  readonly #paces = new Paces(AT_ONCE_MAX);
  readonly #lanes = new Paces(AT_ONCE_MAX);

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#perSecond = amountOf('cases', { liveMode: options.lane === 'live' });
  }

  async next(): Promise<{ rows: OutboxRow[]; waitMs: number }> {
    const { lane, work, pool, metrics } = this.#options;
    const byAccount = this.#paces.lefts(this.#perSecond);
    const allowances = { byAccount, byDefault: AT_ONCE_MAX };
    const max = this.#lanes.left(lane, LANE_PER_SECOND[lane]);
    if (max === 0) return { rows: [], waitMs: PACE_MS };
    const rows = await claimOutbox(pool, { lane, work, after: this.#rotation.after, max, ...allowances });
    const accounts = rows.map(({ accountId }) => accountId);
    for (const accountId of accounts) {
      this.#paces.spend(accountId, this.#perSecond);
      this.#lanes.spend(lane, LANE_PER_SECOND[lane]);
    }
    if (this.#rotation.took(accounts, max)) return { rows, waitMs: 0 };
    const isPaced = [...this.#paces.lefts(this.#perSecond).values()].includes(0);
    if (isPaced) metrics.budgets.refuse('cases', { liveMode: lane === 'live' });
    return { rows, waitMs: isPaced ? PACE_MS : POLL_MS };
  }
}

/** Relays one batch, and answers how long to wait for the next. */
async function relayBatch(options: RelayOptions, claims: Claims, reached: () => void): Promise<number> {
  const { pool, client, logger, isTemporalUp } = options;
  if (!isTemporalUp()) return POLL_MS;
  const { rows, waitMs } = await claims.next();
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

/** Turns committed outbox rows of a lane and work into running cases (docs/design/outbox-and-cases.md#the-relay). */
export function startRelay(options: RelayOptions): Loop {
  const claims = new Claims(options);
  return new Loop({
    logger: options.logger,
    what: `the outbox (${options.lane}, ${options.work})`,
    turn: (reached) => relayBatch(options, claims, reached),
    retryMs: AWAY_MS,
  });
}
