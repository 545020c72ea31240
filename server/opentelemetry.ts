import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { Outage } from './jobs/loop.ts';
import { type OpenSpan, type TracedPart, type Tracing, UNTOLD } from './kernel/tracing.ts';
import type { TracesTo } from './open-tracing.ts';

/** The end of a process waits no longer for a receiver that is away. */
const CLOSE_MAX_MS = 3_000;

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** What goes on, wherever its promises lead. */
const current = new AsyncLocalStorage<Context>();

const contextNow = (): Context => current.getStore() ?? ROOT_CONTEXT;

/** Behind what `traceparent` names; of one that is malformed nothing is known. */
function contextAfter(traceparent: string): Context {
  const sent = parseTraceParent(traceparent);
  return sent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...sent, isRemote: true });
}

function traceparentNow(): string | null {
  const now = trace.getSpanContext(contextNow());
  if (now === undefined || !isSpanContextValid(now) || (now.traceFlags & TraceFlags.SAMPLED) === 0) return null;
  return `00-${now.traceId}-${now.spanId}-01`;
}

/** An error tells its name and no message: that may quote what a person typed. */
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

async function doTraced<T>(tracer: Tracer, part: TracedPart, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  const { name, kind, ids: attributes = {}, after = null, begins = false } = part;
  const parent = after === null ? contextNow() : contextAfter(after);
  if (!begins && trace.getSpanContext(parent) === undefined) return work(UNTOLD);
  const options = { attributes, kind: kind === undefined ? SpanKind.INTERNAL : kinds[kind] };
  const span = tracer.startSpan(name, options, parent);
  const fail = (type: string): void => {
    span.setAttribute('error.type', type);
    span.setStatus({ code: SpanStatusCode.ERROR });
  };
  const told: OpenSpan = { rename: (to) => span.updateName(to), set: (ids) => span.setAttributes(ids), fail };
  try {
    return await current.run(trace.setSpan(parent, span), () => work(told));
  } catch (error) {
    fail(nameOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** That the receiver is away is said once. What it does not take is lost: traces are no books. */
function tellingOutages(exporter: SpanExporter, outage: Outage): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.SUCCESS) outage.end();
        else outage.begin(result.error);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

/** Sends traces by OTLP over HTTP, in protobuf. */
export function traceTo({ endpoint, share, service, logger }: TracesTo): Tracing {
  const outage = new Outage(logger, 'the receiver of traces');
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const provider = new TracerProvider({
    // Where the environment names the service, that name holds.
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service }))
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: tellingOutages(exporter, outage) })],
  });
  const tracer = provider.getTracer('fatura');
  return {
    isOn: true,
    span: (part, work) => doTraced(tracer, part, work),
    get traceparent() {
      return traceparentNow();
    },
    close: () =>
      Promise.race([
        provider.shutdown().catch((error: unknown) => outage.begin(error)),
        sleep(CLOSE_MAX_MS, undefined, { ref: false }),
      ]),
  };
}
