import { context, defaultTextMapSetter, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fakeService, refusal } from './fake-service.ts';

const exporter = new InMemorySpanExporter();
let tracer: Tracer;

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  tracer = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }).getTracer('shop');
});
afterAll(() => context.disable());
beforeEach(() => exporter.reset());

const spans = () =>
  exporter.getFinishedSpans().map(({ name, kind, attributes, status, events }) => ({
    name,
    kind,
    attributes,
    status: status.code,
    events: events.map(({ name, attributes }) => ({ name, ...attributes })),
  }));

describe('with a tracer of OpenTelemetry', () => {
  test('a call is one client span, whose retries are events', async () => {
    const service = await fakeService(
      { fault: 'reset' },
      { ...refusal(429, 'RATE_LIMITED'), headers: { 'Retry-After': '0' } },
      { body: { object: 'list', has_more: false, data: [] } },
    );
    await service.client({ tracer }).customers.list({ email: 'maria@example.com' }).page();
    const { hostname, port } = new URL(service.url);
    expect(spans()).toEqual([
      {
        name: 'customers.list',
        kind: SpanKind.CLIENT,
        attributes: {
          'http.request.method': 'GET',
          'server.address': hostname,
          'server.port': Number(port),
          'url.full': `${service.url}/api/v1/customers`,
          'http.response.status_code': 200,
          'http.request.resend_count': 2,
          'fatura.request_id': 'req_1',
        },
        status: SpanStatusCode.UNSET,
        events: [
          { name: 'retry', 'error.type': 'CONNECTION_FAILED' },
          {
            name: 'retry',
            'error.type': 'RATE_LIMITED',
            'http.response.status_code': 429,
            'fatura.request_id': 'req_2',
          },
        ],
      },
    ]);
  });

  test('a refusal is recorded, and rejects as it does without', async () => {
    const service = await fakeService(refusal(402, 'CARD_DECLINED'));
    const call = service.client({ tracer }).invoices.checkout('in_1', { payment_method_type: 'pix' });
    await expect(call).rejects.toMatchObject({ code: 'CARD_DECLINED' });
    expect(spans()).toMatchObject([
      {
        name: 'invoices.checkout',
        attributes: { 'http.response.status_code': 402, 'error.type': 'CARD_DECLINED' },
        status: SpanStatusCode.ERROR,
        events: [{ name: 'exception', 'exception.message': 'CARD_DECLINED happened' }],
      },
    ]);
  });

  test('the trace goes on from the caller to the service, by an onRequest that injects it', async () => {
    const service = await fakeService({ body: { id: 'in_1' } });
    const propagator = new W3CTraceContextPropagator();
    const onRequest = () => {
      const headers: Record<string, string> = {};
      propagator.inject(context.active(), headers, defaultTextMapSetter);
      return headers;
    };
    await tracer.startActiveSpan('sale', async (sale) => {
      await service.client({ tracer, onRequest }).invoices.finalize('in_1');
      expect(trace.getActiveSpan()).toBe(sale);
      sale.end();
    });
    const [call, sale] = exporter.getFinishedSpans();
    expect(call?.parentSpanContext?.spanId).toBe(sale?.spanContext().spanId);
    const { traceId, spanId } = call?.spanContext() ?? {};
    expect(service.requests[0]?.headers.traceparent).toBe(`00-${traceId}-${spanId}-01`);
  });
});
