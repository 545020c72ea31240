import type { Answer } from '../answer.ts';
import type { EventDeliveries, EventFeed, EventFeedParams, EventListParams } from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';
import type { Event } from '../webhooks.ts';

/** What happened behind a cursor: at most 100 events, and where the feed goes on. */
type Feed = Omit<EventFeed, 'data'> & { data: Event[] };

/** What happened on the account; kept for 30 days whether it was delivered or not. */
export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * The event as its deliveries carry it, told apart by `type`.
   * @throws {FaturaError} `RESOURCE_MISSING`, also after 30 days.
   */
  retrieve(id: string, options?: RequestOptions): Answer<Event> {
    // The service records each type with the resource that EventObjects names.
    return this.#transport.send('events.retrieve', { id }, options) as Answer<Event>;
  }

  /**
   * Events, newest first, by types, delivery result, related object or instant of creation (Unix seconds).
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: EventListParams = {}, options?: RequestOptions): List<Event> {
    const fetchPage = (cursor: EventListParams) =>
      this.#transport.request('events.list', { query: { ...params, ...cursor } }, options);
    return new List(fetchPage, params) as List<Event>; // as in `retrieve`
  }

  /**
   * What happened behind a cursor, as it happens; pass `cursor` of the answer on. With `wait` (seconds, at most 20)
   * it answers within a second of the next event.
   * @throws {FaturaError} `CURSOR_INVALID`, `RATE_LIMITED` when 10 wait already.
   */
  feed(query: EventFeedParams = {}, options?: RequestOptions): Answer<Feed> {
    return this.#transport.send('events.feed', { query }, options) as Answer<Feed>; // as in `retrieve`
  }

  /**
   * Sends an event again, the same body under the same id: to every endpoint that subscribes to its type, or to one.
   * @throws {FaturaError} `RESOURCE_MISSING`, also after 30 days; `RESEND_LIMIT_REACHED` after 3 times;
   * `INVALID_STATE` of an endpoint that is disabled or does not subscribe.
   */
  resend(id: string, to: { webhook_endpoint_id?: string } = {}, options?: WriteOptions): Answer<Event> {
    return this.#transport.send('events.resend', { id, body: to }, options) as Answer<Event>; // as in `retrieve`
  }

  /**
   * Each attempt to deliver the event, by endpoint.
   * @throws {FaturaError} `RESOURCE_MISSING`.
   */
  deliveries(id: string, options?: RequestOptions): Answer<EventDeliveries> {
    return this.#transport.send('events.deliveries', { id }, options);
  }
}
