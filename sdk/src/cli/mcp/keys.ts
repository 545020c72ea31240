import { createHash, randomUUID } from 'node:crypto';

const SAME_CALL_MS = 10 * 60_000;
const KEPT_MAX = 1_000;

/** The same for the same tool with the same arguments, in whatever order they come. */
export function digestOf(tool: string, args: object): string {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, item]) => [key, sorted(item)]),
    );
  };
  return createHash('sha256')
    .update(JSON.stringify([tool, sorted(args)]))
    .digest('hex');
}

interface Kept {
  readonly key: string;
  readonly sinceMs: number;
  readonly isUnknown: boolean;
}

/**
 * Idempotency keys of calls, so that an agent which repeats a call does not act twice: the same call has the same key while
 * its outcome is unknown, and for ten minutes after it was carried out.
 */
export class CallKeys {
  readonly #kept = new Map<string, Kept>();

  /** Whether the call was made and nobody knows yet what came of it. */
  isOpen(digest: string): boolean {
    return this.#kept.get(digest)?.isUnknown === true;
  }

  /** The key of a call; `isAnew`: a person has asked for it once more, so only an unknown outcome is repeated. */
  keyOf(digest: string, { nowMs, isAnew }: { nowMs: number; isAnew: boolean }): string {
    const kept = this.#kept.get(digest);
    if (kept !== undefined && (kept.isUnknown || (!isAnew && nowMs < kept.sinceMs + SAME_CALL_MS))) return kept.key;
    return this.#keep(digest, { key: `mcp-${randomUUID()}`, sinceMs: nowMs, isUnknown: true }).key;
  }

  /** What became of the call: after a refusal the next one has another key. */
  settle(digest: string, outcome: 'done' | 'refused' | 'unknown'): void {
    const kept = this.#kept.get(digest);
    if (kept === undefined) return;
    if (outcome === 'refused') this.#kept.delete(digest);
    else this.#keep(digest, { ...kept, isUnknown: outcome === 'unknown' });
  }

  #keep(digest: string, kept: Kept): Kept {
    this.#kept.delete(digest); // set anew, it is forgotten last
    this.#kept.set(digest, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
    return kept;
  }
}
