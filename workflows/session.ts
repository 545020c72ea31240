import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { type NativeConnection, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import type { Logger } from 'pino';
import { Outage } from '../server/jobs/loop.ts';
import type { Mode } from '../server/kernel/mode.ts';
import type { Tracing } from '../server/kernel/tracing.ts';
import type { SecretBox } from '../server/sealing/secret-box.ts';
import type { Activities } from './activities.ts';
import { advancesOf, attemptsOf, billingOf, queueOf } from './cases/queues.ts';
import { deployedAs, hasDeployments } from './deployment.ts';
import type { RunShards } from './run-shards.ts';
import { ensureSchedules, knowsSchedules, type RunEvery } from './schedules.ts';
import { ensureSearchAttributes } from './search-attributes.ts';
import { answers, connectWorker, dataConverter, installRuntime, type TemporalAddress } from './temporal.ts';
import { workerTraces } from './traces.ts';

const PING_EVERY_MS = 2_000;
/** A new server may stand in the place of the former between two pings. */
const RECOGNISE_EVERY_MS = 10_000;
const RETRY_MS = 1_000;
const GRACE = '20 seconds';
const FORCE = '25 seconds';
/** Attempts of a mode at once. They wait up to 15 s for receivers; the sender allows more than these and the first deliveries together. */
const ATTEMPTS_AT_ONCE = 200;
/** Steps of cases and runs of a mode at once. */
const STEPS_AT_ONCE = 50;
/** Shards of `billing-run` of a mode at once: one worker does all of them in turns, and of several each has as many as the others. */
const BILLING_AT_ONCE = 1;
const WORKFLOW_TASKS_AT_ONCE = 40;
/** Most workflows sleep for hours, and one that wakes is replayed in a moment: thousands of them would only take memory. */
const KEPT_AWAKE = 200;
/** Test clocks that are moved at once; further ones have their turns between two slices of these. More would take longer each, and keep others waiting. */
const ADVANCES_AT_ONCE = 3;

export interface SessionOptions {
  readonly temporal: TemporalAddress;
  readonly client: Client;
  /** Seals what Temporal is told. */
  readonly secretBox: SecretBox;
  readonly taskQueue: string;
  /** Whose queues are polled, and whose schedules are made. */
  readonly modes: readonly Mode[];
  /** Null: no schedules, for tests that share a server. */
  readonly schedulePrefix: string | null;
  readonly runEvery: RunEvery;
  readonly shards: RunShards;
  readonly activities: Activities;
  readonly logger: Logger;
  readonly tracing: Tracing;
  readonly bundle: WorkflowBundleOption;
  /** Of the bundle; null: a worker of no deployment, which takes the work of any. */
  readonly buildId: string | null;
  /** Called when Temporal answers again. */
  readonly onUp: () => void;
}

/** Our part in Temporal: it begins as soon as the server answers, and again whenever it was away. */
export class TemporalSession {
  readonly #options: SessionOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #outage: Outage;
  #isUp = false;
  #recognisedAtMs = 0;
  #workers: Worker[] = [];

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#outage = new Outage(options.logger, 'Temporal (deliveries go on, cases wait)');
    installRuntime(options.logger);
    this.#running = this.#run();
  }

  /** Whether Temporal answers and our workers poll it. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Ends the workers when the activities in flight have ended, or after their grace. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#shutDown();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#session();
      } catch (error) {
        this.#outage.begin(error);
      }
      this.#isUp = false;
      await this.#pause(RETRY_MS);
    }
  }

  async #session(): Promise<void> {
    const connection = await connectWorker(this.#options.temporal);
    try {
      await this.#prepare();
      this.#workers = await this.#createWorkers(connection, await this.#buildId());
      const ended = Promise.allSettled(this.#workers.map((worker) => this.#work(worker)));
      if (this.#stopping.signal.aborted) this.#shutDown();
      await this.#watch();
      const failed = (await ended).find((outcome) => outcome.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    } finally {
      await connection.close();
    }
  }

  /** One worker that ends takes the others along: the session begins anew as a whole. */
  async #work(worker: Worker): Promise<void> {
    try {
      await worker.run();
    } finally {
      this.#workers = this.#workers.filter((other) => other !== worker);
      this.#shutDown();
    }
  }

  #shutDown(): void {
    for (const worker of this.#workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  }

  async #prepare(): Promise<void> {
    const { client, temporal, logger, schedulePrefix: prefix, taskQueue, modes, runEvery, shards } = this.#options;
    await ensureSearchAttributes(client, temporal.namespace, logger);
    if (prefix !== null) await ensureSchedules(client, { prefix, taskQueue, modes, runEvery, shards });
  }

  /** Follows whether Temporal answers; one that comes back may be a new one, without our schedules. */
  async #watch(): Promise<void> {
    while (!this.#stopping.signal.aborted && this.#workers.length > 0) {
      const answered = await answers(this.#options.client);
      if (answered && (!this.#isUp || (await this.#isStranger()))) await this.#welcome();
      else this.#isUp = answered;
      await this.#pause(PING_EVERY_MS);
    }
  }

  /** Looks now and then whether the server that answers is the one that we prepared. */
  async #isStranger(): Promise<boolean> {
    const { client, modes, schedulePrefix: prefix } = this.#options;
    if (prefix === null || performance.now() - this.#recognisedAtMs < RECOGNISE_EVERY_MS) return false;
    this.#recognisedAtMs = performance.now();
    // One that cannot say is asked again.
    return !(await knowsSchedules(client, { prefix, modes }).catch(() => true));
  }

  async #welcome(): Promise<void> {
    try {
      await this.#prepare();
      this.#recognisedAtMs = performance.now();
      this.#isUp = true;
      this.#outage.end();
      this.#options.onUp();
    } catch (error) {
      this.#isUp = false;
      this.#outage.begin(error);
    }
  }

  /** The build that the server hears of; null: it is older than deployments, and hands work to anybody. */
  async #buildId(): Promise<string | null> {
    const { client, temporal, taskQueue, modes, buildId, logger } = this.#options;
    const [mode] = modes;
    if (buildId === null || mode === undefined) return null;
    if (await hasDeployments({ client, namespace: temporal.namespace, taskQueue }, { mode, buildId })) return buildId;
    logger.warn('Temporal has no worker deployments: of two builds either may take a case (Temporal 1.28 has them)');
    return null;
  }

  #createWorkers(connection: NativeConnection, buildId: string | null): Promise<Worker[]> {
    const { temporal, secretBox, modes, tracing, bundle: workflowBundle } = this.#options;
    const connected = {
      connection,
      namespace: temporal.namespace,
      dataConverter: dataConverter(secretBox),
      shutdownGraceTime: GRACE,
      shutdownForceTime: FORCE,
      activities: this.#options.activities,
      ...workerTraces(tracing),
    };
    const create = (mode: Mode): Promise<Worker>[] => {
      const taskQueue = queueOf(this.#options.taskQueue, mode);
      const deployed =
        buildId === null ? {} : { workerDeploymentOptions: deployedAs(this.#options.taskQueue, mode, buildId) };
      const common = { ...connected, ...deployed };
      const advances = {
        ...common,
        taskQueue: advancesOf(taskQueue),
        maxConcurrentActivityTaskExecutions: ADVANCES_AT_ONCE,
      };
      return [
        Worker.create({
          ...common,
          taskQueue,
          workflowBundle,
          maxConcurrentActivityTaskExecutions: STEPS_AT_ONCE,
          maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASKS_AT_ONCE,
          maxCachedWorkflows: KEPT_AWAKE,
        }),
        Worker.create({
          ...common,
          taskQueue: attemptsOf(taskQueue),
          maxConcurrentActivityTaskExecutions: ATTEMPTS_AT_ONCE,
        }),
        Worker.create({
          ...common,
          taskQueue: billingOf(taskQueue),
          maxConcurrentActivityTaskExecutions: BILLING_AT_ONCE,
          // It asks for one at a time, and for its second one behind the other workers.
          maxConcurrentActivityTaskPolls: 1,
        }),
        ...(mode === 'sandbox' ? [Worker.create(advances)] : []),
      ];
    };
    return Promise.all(modes.flatMap(create));
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }
}
