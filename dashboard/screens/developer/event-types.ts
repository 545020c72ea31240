import type { EventFilter, EventType } from '@fatura/sdk';
import { eventTexts } from '../../texts/events.ts';
import { type EventResource, eventResources } from './event-resources.ts';

export interface EventGroup {
  readonly resource: EventResource;
  readonly types: readonly EventType[];
}

// There is a sentence of every type: the compiler sees to it.
export const allEventTypes = Object.keys(eventTexts.pt) as readonly EventType[];

/** Types by what they are about. */
export const eventGroups: readonly EventGroup[] = (Object.keys(eventResources.pt) as EventResource[]).map(
  (resource) => ({ resource, types: allEventTypes.filter((type) => type.startsWith(`${resource}.`)) }),
);

const hasAll = (chosen: ReadonlySet<EventType>, types: readonly EventType[]): boolean =>
  types.every((type) => chosen.has(type));

/** As the API takes them: `*` and `customer.*` where all of them are chosen. */
export function filtersOf(chosen: ReadonlySet<EventType>): EventFilter[] {
  if (hasAll(chosen, allEventTypes)) return ['*'];
  return eventGroups.flatMap(({ resource, types }): readonly EventFilter[] =>
    hasAll(chosen, types) ? [`${resource}.*`] : types.filter((type) => chosen.has(type)),
  );
}

/** Every type for a filter, by the name that programs know it by. */
export const typeOptions = allEventTypes.map((type) => [type, type] as const);
