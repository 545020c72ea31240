import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

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
    surplusRefused: new Counter({
      name: 'fatura_surplus_return_refused_total',
      help: 'Returns of surplus PIX receipts that the bank refused.',
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
