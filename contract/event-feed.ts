import { z } from 'zod';
import { Event, eventTypeFilter } from './events.ts';
import { exampleId, field, meta, objectName, queryInteger, TIMESTAMP_MAX } from './kernel.ts';
import { c, listErrors, routerOptions } from './router.ts';

/** A cursor of the feed names at most so many events beyond its place (docs/design/event-feed.md#cursor). */
export const FEED_SEEN_MAX = 100;
/** Less than any answer may take. */
const FEED_WAIT_MAX_SECONDS = 20;

const feedCursor = z
  .string()
  .regex(
    new RegExp(`^evt_[0-9a-z]{26}(\\.[0-9a-z]{26}){0,${FEED_SEEN_MAX}}$`),
    'must be the cursor of an answer, or the id of an event',
  );

export const EventFeedQuery = z.strictObject({
  cursor: field(
    feedCursor.optional(),
    '`cursor` of the last answer, or the id of an event: the feed goes on behind it. Without it, and without `since`, it begins now.',
    exampleId('evt'),
  ),
  since: field(
    queryInteger({ min: 0, max: TIMESTAMP_MAX }).optional(),
    'Without a cursor: begins with what was recorded from this instant on, in real time. Unix time, seconds.',
    1_795_257_600,
  ),
  type: eventTypeFilter,
  wait: field(
    queryInteger({ min: 0, max: FEED_WAIT_MAX_SECONDS }).optional(),
    `For how long to wait for an event where there is none. Seconds, 0 to ${FEED_WAIT_MAX_SECONDS}, default 0.`,
    FEED_WAIT_MAX_SECONDS,
  ),
});

export const EventFeed = z
  .object({
    object: objectName('event_feed'),
    data: z.array(Event).meta({
      description:
        'At most 100 events and about 1 MiB, in the order they happened; one that was committed later than younger ones comes when it is.',
    }),
    cursor: field(z.string(), 'Where the feed goes on: give it with the next request.', exampleId('evt')),
    caught_up: field(z.boolean(), 'false: more is there already, ask again at once.', true),
  })
  .meta({ id: 'EventFeed', description: 'What happened on the account behind a cursor.' });

export type EventFeed = z.output<typeof EventFeed>;

/** Beside the other routes of events. */
export const eventFeed = c.router(
  {
    feed: {
      method: 'GET',
      path: '/event_feed',
      query: EventFeedQuery,
      summary: 'Follow the events',
      description:
        'What happened behind a cursor, as it happens: nothing is left out and nothing comes twice behind cursors that are passed on. With `wait` the answer comes within a second of the next event. At most 10 requests of an account wait at once in each mode, then 429.',
      responses: { 200: EventFeed, ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
  },
  routerOptions,
);
