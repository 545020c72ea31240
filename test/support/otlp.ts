import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { parse } from 'protobufjs';

/** What of OTLP's messages (opentelemetry/proto/trace/v1) tells of spans; whatever else comes is skipped. */
const PROTO = `syntax = "proto3";
message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { repeated Span spans = 2; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
  repeated KeyValue attributes = 9; repeated Event events = 11; Status status = 15;
}
message Event { string name = 2; }
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }`;
const messages = parse(PROTO).root.lookupType('ExportTraceServiceRequest');

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number; doubleValue?: number; boolValue?: boolean };
}

interface Decoded {
  resourceSpans?: {
    resource?: { attributes?: Attribute[] };
    scopeSpans?: {
      spans?: {
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        name: string;
        attributes?: Attribute[];
        events?: object[];
        status?: { code?: number; message?: string };
      }[];
    }[];
  }[];
}

const hex = (base64 = ''): string => Buffer.from(base64, 'base64').toString('hex');

const attributesOf = (attributes: Attribute[] = []) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** A span as it came. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly id: string;
  /** Empty: it began the trace. */
  readonly parentId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly service: unknown;
  readonly failed: boolean;
}

function spansIn(body: Buffer): ReceivedSpan[] {
  const options = { longs: Number, bytes: String, defaults: false } as const;
  const { resourceSpans = [] } = messages.toObject(messages.decode(body), options) as Decoded;
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans.flatMap(({ spans = [] }) =>
      spans.map(({ traceId, spanId, parentSpanId, name, attributes, status }) => ({
        traceId: hex(traceId),
        id: hex(spanId),
        parentId: hex(parentSpanId),
        name,
        attributes: attributesOf(attributes),
        service: attributesOf(resource?.attributes)['service.name'],
        failed: status?.code === 2,
      })),
    ),
  );
}

/** A receiver of traces by OTLP over HTTP, in protobuf. */
export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const isOurs = request.url === '/v1/traces' && request.headers['content-type'] === 'application/x-protobuf';
    const body = await buffer(request);
    if (!isOurs) return void response.writeHead(404).end();
    bodies.push(body);
    spans.push(...spansIn(body));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    spans,
    /** All that came, as it was sent. */
    bytes: () => Buffer.concat(bodies),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
