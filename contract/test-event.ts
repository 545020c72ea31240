import { z } from 'zod';
import { field, liveMode, objectName, timestamp, typeId } from './kernel.ts';

/** What `webhookEndpoints.test` sends: it is no event, and nothing of it is kept. */
export const TestEvent = z
  .object({
    id: typeId('evt', 'Equals the webhook-id header; it is not stored.'),
    object: objectName('event'),
    type: field(z.literal('webhook.test'), 'Always `webhook.test`.', 'webhook.test'),
    created: timestamp('When the test was asked for.'),
    live_mode: liveMode,
    data: z
      .object({ object: field(z.null(), 'Always null.', null) })
      .meta({ description: 'What a test carries: nothing.' }),
  })
  .meta({ description: 'The delivery that `webhookEndpoints.test` makes.' });
