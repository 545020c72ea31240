import { EventInbox, MemoryInboxStore } from '@fatura/sdk/inbox';
import type { HandlerOptions } from '@fatura/sdk/webhooks';
import { fulfil } from './sales.ts';
import { setting } from './settings.ts';

/** Deliveries may repeat; each event is handled once. */
const inbox = new EventInbox({
  store: new MemoryInboxStore(), // for more than one process a table of yours: the README of @fatura/sdk has one for PostgreSQL
  stale: 'handle', // this shop waits for one type, and does not copy objects
  onEvent(event) {
    if (event.type === 'invoice.paid') fulfil(event.data.object, event.id);
  },
});

/** How deliveries are verified and handled. What `onEvent` throws is answered 500, and the event comes again. */
export const handling: HandlerOptions = {
  secrets: setting('WEBHOOK_SECRET'),
  onEvent: inbox.receive,
};
