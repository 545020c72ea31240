import { type Logger, type Observer, type RequestInfo, shielded } from './observers.ts';

type Attributes = Record<string, string | number>;

/** As much of a span of `@opentelemetry/api` as is used. */
export interface Span {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { code: number }): unknown;
  addEvent(name: string, attributes: Attributes): unknown;
  recordException(error: Error): void;
  end(): void;
}

/** As much of a `Tracer` of `@opentelemetry/api` as is used: `trace.getTracer('shop')` fits. */
export interface Tracer {
  startActiveSpan<T>(name: string, options: { kind: number; attributes: Attributes }, run: (span: Span) => T): T;
}

/** `SpanKind.CLIENT` and `SpanStatusCode.ERROR` of `@opentelemetry/api`. */
const CLIENT = 2;
const ERROR = 2;

/** What is known of a call before it is sent, by the names of the semantic conventions of HTTP. */
function attributesOf({ method, url }: { method: string; url: string }): Attributes {
  const { protocol, hostname, port, origin, pathname } = new URL(url);
  return {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    'url.full': origin + pathname, // a query may hold personal data
  };
}

/** Tells a span of each try; the last one ends it. */
const telling =
  (span: Span): Observer =>
  ({ attempt, status, requestId, error, retryInMs }) => {
    const answered: Attributes = {
      ...(status === null ? {} : { 'http.response.status_code': status }),
      ...(requestId === null ? {} : { 'fatura.request_id': requestId }),
      ...(error === null ? {} : { 'error.type': error.code }),
    };
    if (retryInMs !== null) return span.addEvent('retry', answered);
    try {
      span.setAttributes(attempt === 0 ? answered : { ...answered, 'http.request.resend_count': attempt });
      if (error === null) return;
      span.recordException(error);
      span.setStatus({ code: ERROR });
    } finally {
      span.end();
    }
  };

interface TracedCall<T> {
  readonly tracer: Tracer;
  readonly request: Pick<RequestInfo, 'route' | 'method'> & { readonly url: string };
  readonly logger: Logger | undefined;
  readonly run: (observers: readonly Observer[]) => Promise<T>;
}

/**
 * Runs a call within a span of its own, which is the active one meanwhile: an `onRequest` that injects the context sends
 * this span on. Whatever the tracer does, the call runs once.
 */
export function traced<T>({ tracer, request, logger, run }: TracedCall<T>): Promise<T> {
  let running: Promise<T> | undefined;
  const start = (span?: Span): Promise<T> => {
    running ??= run(span ? [telling(span)] : []);
    return running;
  };
  const options = { kind: CLIENT, attributes: attributesOf(request) };
  shielded(() => void tracer.startActiveSpan(request.route, options, start), logger);
  return start();
}
