import type { WorkflowInterceptors } from '@temporalio/workflow';

/** Where Temporal's SDKs carry what a call follows from. */
export const TRACE_HEADER = '_tracer-data';

type Headers = Parameters<
  NonNullable<NonNullable<WorkflowInterceptors['outbound']>[number]['scheduleActivity']>
>[0]['headers'];

/**
 * Hands on the trace of whoever asked last for a look to what the case does then. It reads nothing of it, and no call waits for
 * it: a case goes on alike with traces and without. A case lives for weeks, so it is no part of a trace itself: its looks are.
 */
export const interceptors = (): WorkflowInterceptors => {
  let asked: Headers[string] | undefined;
  const take = ({ headers }: { headers: Headers }): void => {
    asked = headers[TRACE_HEADER] ?? asked;
  };
  const withTrace = <Input extends { headers: Headers }>(input: Input): Input =>
    asked === undefined ? input : { ...input, headers: { ...input.headers, [TRACE_HEADER]: asked } };
  return {
    inbound: [
      {
        execute(input, next) {
          take(input);
          return next(input);
        },
        handleSignal(input, next) {
          take(input);
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(withTrace(input)),
        scheduleLocalActivity: (input, next) => next(withTrace(input)),
        continueAsNew: (input, next) => next(withTrace(input)),
      },
    ],
  };
};
