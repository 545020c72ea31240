import { z } from 'zod';
import { field, named, objectName, timestamp, typeId } from './kernel.ts';

export const RecoverBody = z
  .strictObject({ since: timestamp('From when on: in the past, at most 30 days back.') })
  .meta({ id: 'WebhookRecoverBody', description: 'What to send again.' });

const WebhookRecoveryStatus = named('WebhookRecoveryStatus', ['running', 'done'], 'Whether a recovery still sends.');

export const WebhookRecovery = z
  .object({
    object: objectName('webhook_recovery'),
    webhook_endpoint: typeId('we', 'The endpoint.'),
    since: timestamp('From when on.'),
    events: field(z.int(), 'Events that were sent again so far.', 12),
    status: field(
      WebhookRecoveryStatus,
      '`done` once everything until the call is sent, or when the endpoint was disabled or deleted meanwhile.',
      'running',
    ),
  })
  .meta({ id: 'WebhookRecovery', description: 'The newest recovery of what an endpoint did not accept.' });

export type WebhookRecovery = z.output<typeof WebhookRecovery>;
