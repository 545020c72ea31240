import type { Shown } from './redaction.ts';

/** Values that tell of no person: amounts, instants, switches, and ids of ours. */
const ID = /^[a-z]+_[0-9a-z]{26}$/;
const VALUES_MAX = 50;
const DEPTH_MAX = 6;
const TEXT = '***';

/**
 * What of a body the log keeps for ever: numbers, switches and ids by their names; of a text that it was given. The log has no data
 * of buyers, and texts may be that.
 */
export function outlineOf(body: unknown): Shown {
  let left = VALUES_MAX;
  const outline = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return ID.test(value) ? value : TEXT;
    if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
    if (typeof value !== 'object' || depth === DEPTH_MAX) return TEXT;
    const entries = Object.entries(value).slice(0, left);
    left -= entries.length;
    if (Array.isArray(value)) return entries.map(([, one]) => outline(one, depth + 1));
    return Object.fromEntries(
      entries.map(([name, one]) => [nameOf(name), name === 'metadata' ? TEXT : outline(one, depth + 1)]),
    );
  };
  const outlined = outline(body ?? {}, 0);
  return typeof outlined === 'object' && outlined !== null && !Array.isArray(outlined) ? { ...outlined } : {};
}

/** A name that the contract does not have may be anything. */
const nameOf = (name: string): string => (/^[a-z][a-z0-9_]{0,39}$/.test(name) ? name : TEXT);
