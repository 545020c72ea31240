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

interface OfLadder {
  eventId: string;
  endpointId: string;
  ladder: number;
}

export interface LadderRow extends OfLadder {
  status: 'pending' | 'delivered' | 'failed';
  /** Attempts that this state of the ladder comes after. */
  attemptsMade: number;
  nextAttemptAt: Timestamp | null;
}

export interface AttemptRow extends OfLadder {
  attempt: number;
  at: Timestamp;
  statusCode: number | null;
  failure: FailureKind | null;
  detail: string | null;
  answer: string | null;
  durationMs: number;
}

/** A ladder with its own attempts. */
export function viewDelivery(row: LadderRow, attempts: readonly AttemptRow[]): Delivery {
  return {
    object: 'delivery',
    webhook_endpoint: row.endpointId,
    ladder: row.ladder,
    status: row.status,
    next_attempt: row.status === 'pending' ? row.nextAttemptAt : null,
    attempts: attempts
      .filter(({ attempt }) => attempt <= row.attemptsMade)
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
