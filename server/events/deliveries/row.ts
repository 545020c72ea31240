import { type ClockRow, clockColumns } from '../../accounts/scope.ts';
import type { Timestamp } from '../../kernel/time.ts';

/** A delivery with its event and its endpoint, as an attempt needs them. */
export interface DeliveryRow extends ClockRow {
  day: string;
  eventId: string;
  endpointId: string;
  ladder: number;
  /** Attempts made. */
  attempts: number;
  firstAttemptAt: Timestamp | null;
  body: string;
  url: string;
  secret: Buffer;
  formerSecret: Buffer | null;
  formerSecretUntil: Timestamp | null;
  /** The event was removed, or the endpoint was deleted or disabled meanwhile. */
  gone: boolean;
  /** The last attempts at the endpoint failed. */
  unwell: boolean;
}

/** The columns that make a row a `DeliveryRow`, of deliveries `d` joined by `DELIVERY_JOINS`. */
export const DELIVERY_COLUMNS = `d.day, d.event_id AS "eventId", d.endpoint_id AS "endpointId", d.ladder, ${clockColumns('d')}, d.attempts,
  d.first_attempt_at AS "firstAttemptAt", e.body, w.url, w.secret, w.former_secret AS "formerSecret",
  w.former_secret_until AS "formerSecretUntil",
  (e.id IS NULL OR w.id IS NULL OR w.deleted_at IS NOT NULL OR w.status = 'disabled') AS gone,
  coalesce(w.consecutive_failures > 0, false) AS unwell`;

export const DELIVERY_JOINS = `JOIN account a ON a.id = d.account_id
  LEFT JOIN event e ON e.day = d.day AND e.id = d.event_id
  LEFT JOIN webhook_endpoint w ON w.id = d.endpoint_id`;
