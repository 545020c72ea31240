import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObject,
  Registry,
} from 'prom-client';

/** What `GET /metrics` shows. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: new Histogram({
      name: 'fatura_http_request_seconds',
      help: 'Duration of API requests by route and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    deliveries: new Counter({
      name: 'fatura_webhook_attempts_total',
      help: 'Webhook attempts by outcome: delivered or the failure kind.',
      labelNames: ['outcome'],
      registers,
    }),
    outboxWaiting: new Gauge({
      name: 'fatura_outbox_waiting',
      help: 'Outbox rows that are due and not yet taken by the relay.',
      registers,
    }),
    alarms: new Counter({
      name: 'fatura_alarms_total',
      help: 'Situations that need an operator, by kind.',
      labelNames: ['kind'],
      registers,
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;

const OWN = /^fatura_(?!http_)/;

/** What a worker counted, as JSON text; its process figures stay its own. */
export async function ownMetrics(registry: Registry): Promise<string> {
  const all = await registry.getMetricsAsJSON();
  return JSON.stringify(all.filter(({ name }) => OWN.test(name)));
}

/** The metrics of this process with those that the workers told, summed by name and label. */
export async function mergedMetrics(registry: Registry, ofWorkers: readonly MetricObject[][]): Promise<string> {
  const own = await registry.getMetricsAsJSON();
  return AggregatorRegistry.aggregate([own, ...ofWorkers]).metrics();
}
