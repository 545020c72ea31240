import type { Logger } from 'pino';
import type { Metrics } from './metrics.ts';

/**
 * Lets the process live through a promise that was rejected and that nobody waited for: the fault is told and alarms.
 * One forgotten promise must not end the requests of everybody else. An exception that nobody caught still ends the process.
 */
export function surviveRejections({ logger, metrics }: { logger: Logger; metrics: Metrics }): void {
  process.on('unhandledRejection', (reason: unknown) => {
    metrics.alarms.inc({ kind: 'unhandled_rejection' });
    logger.error({ err: reason }, 'a promise was rejected and nobody waited for it');
  });
}
