import type { Delivery, FailureKind } from '../../contract/events.ts';
import type { WebhookEndpoint as WebhookEndpointView } from '../../contract/webhooks.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { WebhookEndpoint } from './entity.ts';

/** The endpoint as its retrieval answers it; its secret shows in the answer of the creation alone. */
export function viewEndpoint(endpoint: WebhookEndpoint): WebhookEndpointView {
  return {
    id: endpoint.id,
    object: 'webhook_endpoint',
    url: endpoint.url,
    event_types: endpoint.eventTypes,
    description: endpoint.description ?? null,
    status: endpoint.status,
    created: endpoint.created,
    live_mode: endpoint.liveMode,
  };
}

export interface LadderRow {
  endpointId: string;
  ladder: number;
  status: 'pending' | 'delivered' | 'failed';
  /** Attempts that this state of the ladder comes after. */
  attemptsMade: number;
  nextAttemptAt: Timestamp | null;
}

export interface AttemptRow {
  endpointId: string;
  ladder: number;
  attempt: number;
  at: Timestamp;
  statusCode: number | null;
  failure: FailureKind | null;
  detail: string | null;
  answer: string | null;
  durationMs: number;
}

export function viewDelivery(row: LadderRow, attempts: readonly AttemptRow[]): Delivery {
  return {
    object: 'delivery',
    webhook_endpoint: row.endpointId,
    ladder: row.ladder,
    status: row.status,
    next_attempt: row.status === 'pending' ? row.nextAttemptAt : null,
    attempts: attempts
      .filter(
        ({ endpointId, ladder, attempt }) =>
          endpointId === row.endpointId && ladder === row.ladder && attempt <= row.attemptsMade,
      )
      .map((attempt) => ({
        attempt: attempt.attempt,
        at: attempt.at,
        status_code: attempt.statusCode,
        failure: attempt.failure,
        detail: attempt.detail,
        answer: attempt.answer,
        duration_ms: attempt.durationMs,
      })),
  };
}
