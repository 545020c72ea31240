import { eventTypesByResource } from '../../contract/event-types.ts';
import { type EventType, eventTypes } from '../../contract/events.ts';
import { DAY } from '../kernel/time.ts';

/** How long events can be queried (docs/product/events.md#retention). */
export const EVENT_RETENTION = 30 * DAY;

/** The types an endpoint receives: `*` and `customer.*` stand for all of them, in the order of the catalogue. */
export function expandFilters(filters: readonly string[]): EventType[] {
  const wanted = new Set<string>();
  for (const filter of filters) {
    if (filter === '*') for (const type of eventTypes) wanted.add(type);
    else if (filter.endsWith('.*')) for (const type of typesOf(filter.slice(0, -'.*'.length))) wanted.add(type);
    else wanted.add(filter);
  }
  return eventTypes.filter((type) => wanted.has(type));
}

function typesOf(resource: string): readonly string[] {
  const byResource: Record<string, readonly string[]> = eventTypesByResource;
  return byResource[resource] ?? [];
}
