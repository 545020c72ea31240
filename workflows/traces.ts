import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Tracing } from '../server/kernel/tracing.ts';
import { TRACE_HEADER } from './cases/trace-header.ts';

/** Sandboxed workflows load it. */
export const TRACE_INTERCEPTORS = new URL('cases/trace-header.ts', import.meta.url).pathname;

/** In the form of Temporal's own interceptors, and in clear as theirs: the ids of a trace tell nothing. */
const headerOf = (traceparent: string): Headers => ({
  [TRACE_HEADER]: defaultPayloadConverter.toPayload({ traceparent }),
});

function traceparentIn(headers: Headers): string | null {
  const carried = headers[TRACE_HEADER];
  if (carried === undefined) return null;
  const { traceparent } = defaultPayloadConverter.fromPayload<{ traceparent?: unknown }>(carried);
  return typeof traceparent === 'string' ? traceparent : null;
}

/** Tells a case which trace its look is a part of. */
const tellCases = (tracing: Tracing): WorkflowClientInterceptor => ({
  signalWithStart(input, next) {
    const ids = { 'temporal.workflow': input.options.workflowId };
    return tracing.span({ name: `workflow ${input.workflowType}`, kind: 'producer', ids }, async (span) => {
      const { traceparent } = tracing;
      const header = traceparent === null ? {} : headerOf(traceparent);
      const run = await next({ ...input, headers: { ...input.headers, ...header } });
      span.set({ 'temporal.run': run });
      return run;
    });
  },
});

/** Does an activity as a part of the trace of the look that asked for it. */
const traceActivities =
  (tracing: Tracing): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      execute(input, next) {
        const after = traceparentIn(input.headers);
        const ids = {
          'temporal.workflow': info.workflowExecution?.workflowId,
          'temporal.run': info.workflowExecution?.runId,
          'temporal.attempt': info.attempt,
        };
        const part = { name: `activity ${info.activityType}`, kind: 'consumer', after, ids } as const;
        return tracing.span(part, () => next(input));
      },
    },
  });

/** What a client is made with; without traces nothing is between it and Temporal. */
export const clientTraces = (tracing: Tracing) =>
  tracing.isOn ? { interceptors: { workflow: [tellCases(tracing)] } } : {};

/** What workers are made with. */
export const workerTraces = (tracing: Tracing) =>
  tracing.isOn ? { interceptors: { activity: [traceActivities(tracing)] } } : {};
