import { eventTypes } from '../generated/events.ts';
import type { EventType } from '../index.ts';
import { UsageFailure } from './failure.ts';

/** Every type that this version knows. */
export const allTypes = Object.entries(eventTypes).flatMap(([resource, types]) =>
  types.map((happened) => `${resource}.${happened}`),
) as readonly EventType[]; // the table is made of them

/** The types that a list such as `invoice.paid,customer.*` names; null: all, those of later versions too. */
export function typesIn(list: string | undefined): EventType[] | null {
  if (list === undefined) return null;
  const patterns = list.split(',').map((pattern) => pattern.trim());
  if (patterns.includes('*')) return null;
  const found = patterns.map((pattern) => {
    const types = allTypes.filter((type) =>
      pattern.endsWith('.*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern,
    );
    if (types.length === 0) throw new UsageFailure(`no such event type: ${pattern}\nTypes: ${allTypes.join(', ')}`);
    return types;
  });
  return [...new Set(found.flat())];
}
