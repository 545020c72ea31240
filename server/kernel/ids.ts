import { TypeID } from 'typeid-js';
import { V7Generator } from 'uuidv7';
import type { IdPrefix } from '../../contract/kernel.ts';
import { realTimeMs } from './time.ts';

/** Prefixes of ids that only the service and its operators see. */
export type InternalPrefix = 'req' | 'rp' | 'ca' | 'dt' | 'staff' | 'inv' | 'ses';

const generator = new V7Generator();

const generate = () => generator.generateOrResetWithTs(realTimeMs());

const idOf = (prefix: string, { bytes }: { readonly bytes: Uint8Array }): string =>
  TypeID.fromUUIDBytes(prefix, bytes).toString();

/** A new TypeID; ids rise strictly within a process, so that the newest sorts last. */
export function newId(prefix: IdPrefix | InternalPrefix): string {
  return idOf(prefix, generate());
}

const suffixOf = (id: string): string => id.slice(id.lastIndexOf('_') + 1);

/** The bytes of an id that is made after another one, though a process whose clock is ahead of ours made that; ours go on from there. */
function generateAfter(before: string) {
  const made = generate();
  if (idOf('', made) > suffixOf(before)) return made;
  return generator.generateOrResetWithTs((idTimeMs(before) ?? 0) + 1);
}

/** A new TypeID whose suffix sorts after that of another id, of whatever kind. Null: after none. */
export const newIdAfter = (prefix: IdPrefix | InternalPrefix, before: string | null): string =>
  before === null ? newId(prefix) : idOf(prefix, generateAfter(before));

/** The same without a prefix. */
export const newSuffixAfter = (before: string): string => idOf('', generateAfter(before));

/** A new 26-character suffix of its own, for references that carry no prefix (a PIX txid). */
export function newSuffix(): string {
  return idOf('', generate());
}

/** The least suffix of an instant: whatever was made before it sorts before it. */
export function firstSuffixAt(timeMs: number): string {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.floor(timeMs / 65_536));
  view.setUint16(4, timeMs % 65_536);
  return TypeID.fromUUIDBytes('', bytes).toString();
}

const SUFFIX = /^[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$/;

/** The real instant an id was made at, in milliseconds; null for text that is no TypeID. */
export function idTimeMs(id: string): number | null {
  const suffix = suffixOf(id);
  if (!SUFFIX.test(suffix)) return null;
  const bytes = TypeID.fromString(suffix).toUUIDBytes();
  return (
    new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) * 65_536 +
    new DataView(bytes.buffer, bytes.byteOffset).getUint16(4)
  );
}

/** Beyond the year 9999 a day has another form, and no id of ours is from there. */
const DAYS_END_MS = Date.UTC(10_000, 0);

/** The UTC day an id was made on (`2026-11-21`): the partition that holds its row. Null for text that is no TypeID. */
export function idDay(id: string): string | null {
  const timeMs = idTimeMs(id);
  return timeMs === null || timeMs >= DAYS_END_MS ? null : new Date(timeMs).toISOString().slice(0, 10);
}
