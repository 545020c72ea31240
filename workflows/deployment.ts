import type { Client } from '@temporalio/client';
import type { WorkerDeploymentOptions } from '@temporalio/worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { run, statement } from '../server/db/statement.ts';
import { Loop } from '../server/jobs/loop.ts';
import type { Mode } from '../server/kernel/mode.ts';
import { machineTimeMs, SECOND_MS } from '../server/kernel/time.ts';
import { queueOf } from './cases/queues.ts';

/** Between two looks: while cases may wait for a build that has just begun, while another is current, and while ours is. */
const LOOK_SOON_MS = 500;
const LOOK_EVERY_MS = 5_000;
const LOOK_SELDOM_MS = 30_000;
const ANSWER_MAX_MS = 10_000;
/** The server tells every partition of every queue of a deployment before it answers. */
const TAKEN_UP_MAX_MS = 60_000;
/** A worker that was not seen for so long has ended, and one that stops says so. */
const SEEN_WITHIN_SECONDS = 60;

/** Codes of gRPC. */
const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const FAILED_PRECONDITION = 9;
const UNIMPLEMENTED = 12;

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : null);

/** The workers of a mode are one deployment of Temporal: they poll the same queues. */
const deploymentOf = (taskQueue: string, mode: Mode): string => queueOf(taskQueue, mode);

/** A build as Temporal knows it. */
export interface KnownBuild {
  readonly buildId: string;
  /** Since when. */
  readonly sinceMs: number;
}

/** The build that cases go on with: the newest of those that workers run; null: Temporal knows none of them yet. */
export function newestBuild(known: readonly KnownBuild[], running: readonly string[]): string | null {
  const candidates = known.filter(({ buildId }) => running.includes(buildId));
  return candidates.toSorted((one, other) => other.sinceMs - one.sinceMs)[0]?.buildId ?? null;
}

const readRunning = statement<{ build: string }>(
  'read_running_builds',
  `SELECT DISTINCT h.build FROM worker_heartbeat h
   WHERE h.build IS NOT NULL AND :mode = ANY (h.modes) AND h.seen_at > now() - interval '${SEEN_WITHIN_SECONDS} seconds'`,
);

interface DeploymentOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly taskQueue: string;
}

async function describe({ client, namespace }: DeploymentOptions, deploymentName: string) {
  const { workflowService } = client;
  const { workerDeploymentInfo: info, conflictToken } = await client.withDeadline(machineTimeMs() + ANSWER_MAX_MS, () =>
    workflowService.describeWorkerDeployment({ namespace, deploymentName }),
  );
  const known = (info?.versionSummaries ?? []).flatMap(({ deploymentVersion, createTime }): KnownBuild[] => {
    const { buildId } = deploymentVersion ?? {};
    return buildId
      ? [{ buildId, sinceMs: Number(createTime?.seconds ?? 0) * SECOND_MS + (createTime?.nanos ?? 0) / 1e6 }]
      : [];
  });
  return { known, current: info?.routingConfig?.currentDeploymentVersion?.buildId ?? null, conflictToken };
}

/** Whether the server has deployments; one without hands work to whichever worker asks. */
export async function hasDeployments(
  { client, namespace, taskQueue }: DeploymentOptions,
  { mode, buildId }: { mode: Mode; buildId: string },
): Promise<boolean> {
  const deploymentVersion = { deploymentName: deploymentOf(taskQueue, mode), buildId };
  try {
    await client.workflowService.describeWorkerDeploymentVersion({ namespace, deploymentVersion });
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === NOT_FOUND) return true;
    if (code === UNIMPLEMENTED || code === PERMISSION_DENIED) return false;
    throw error;
  }
}

/**
 * What a worker tells of its build: a case goes on with the current one, whichever it began with, and never back to a former
 * (docs/design/outbox-and-cases.md#versions).
 */
export const deployedAs = (taskQueue: string, mode: Mode, buildId: string): WorkerDeploymentOptions => ({
  version: { deploymentName: deploymentOf(taskQueue, mode), buildId },
  useWorkerVersioning: true,
  defaultVersioningBehavior: 'AUTO_UPGRADE',
});

interface CurrentBuildOptions extends DeploymentOptions {
  readonly mode: Mode;
  readonly buildId: string;
  readonly pool: pg.Pool;
  readonly logger: Logger;
  readonly isTemporalUp: () => boolean;
}

/** Sees to it that the newest build that runs is current; answers how long to wait for the next look. */
async function look(options: CurrentBuildOptions): Promise<number> {
  const { client, namespace, taskQueue, mode, buildId, pool, logger } = options;
  const deploymentName = deploymentOf(taskQueue, mode);
  try {
    const { known, current, conflictToken } = await describe(options, deploymentName);
    if (current === buildId) return LOOK_SELDOM_MS;
    const running = (await run(pool, readRunning, { mode })).map(({ build }) => build);
    const newest = newestBuild(known, [...running, buildId]);
    if (newest !== buildId) return newest === current ? LOOK_EVERY_MS : LOOK_SOON_MS;
    await client.withDeadline(machineTimeMs() + TAKEN_UP_MAX_MS, () =>
      client.workflowService.setWorkerDeploymentCurrentVersion({ namespace, deploymentName, buildId, conflictToken }),
    );
    logger.info({ mode, build: buildId, former: current }, 'cases go on with this build');
    return LOOK_SELDOM_MS;
  } catch (error) {
    // Not all of our queues are polled yet, or another worker came first.
    if (codeOf(error) === NOT_FOUND || codeOf(error) === FAILED_PRECONDITION) return LOOK_SOON_MS;
    throw error;
  }
}

/** Has the newest build that runs become current, without anybody's doing. */
export function startCurrentBuild(options: CurrentBuildOptions): Loop {
  return new Loop({
    logger: options.logger,
    what: `the current build of the workflows (${options.mode})`,
    turn: async (reached) => {
      if (!options.isTemporalUp()) return LOOK_SOON_MS;
      const waitMs = await look(options);
      reached();
      return waitMs;
    },
    retryMs: LOOK_EVERY_MS,
  });
}
