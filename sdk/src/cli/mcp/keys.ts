import { createHash, randomUUID } from 'node:crypto';
import type { Args, Preview } from './previews.ts';
import type { Outcome } from './refusal.ts';

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

/** A call that went out: what was shown of it and sent, which its repeats send again under the same key. */
export interface SentCall {
  readonly digest: string;
  readonly key: string;
  readonly preview: Preview;
  readonly args: Args;
  /** Its amount does not count any more. */
  readonly giveBack: () => void;
}

interface Kept extends SentCall {
  /** Of the requests under its key. */
  inFlight: number;
  isUnknown: boolean;
  doneMs: number | null;
}

/**
 * Calls and their idempotency keys, so that an agent which repeats a call does not act twice: the same call has the same key
 * while it runs and while its outcome is unknown; a creation also for ten minutes after it was carried out.
 */
export class CallKeys {
  readonly #kept = new Map<string, Kept>();

  /** The same call, where it was made and nobody knows yet what came of it. */
  openOf(digest: string): SentCall | null {
    const kept = this.#kept.get(digest);
    return kept?.doneMs === null ? kept : null;
  }

  /** The same call, where it was carried out lately. */
  doneOf(digest: string, nowMs: number): SentCall | null {
    const doneMs = this.#kept.get(digest)?.doneMs ?? null;
    return doneMs !== null && nowMs < doneMs + SAME_CALL_MS ? (this.#kept.get(digest) ?? null) : null;
  }

  /** A call goes out, for the first time or again; each time it is to be settled. */
  send(call: Omit<SentCall, 'key'> & { readonly key?: string | undefined }): SentCall {
    const { key = `mcp-${randomUUID()}` } = call;
    const same = this.#kept.get(call.digest);
    const sent = same?.key === key ? same : { ...call, key, inFlight: 0, isUnknown: false, doneMs: null };
    sent.inFlight += 1;
    this.#keep(sent);
    return sent;
  }

  /**
   * What became of a request. That the call itself was declined, or done, is the last word of it; a refusal of one request says
   * nothing of those before it and beside it under the same key.
   */
  settle({ digest, key }: SentCall, outcome: Outcome, nowMs: number): void {
    const kept = this.#kept.get(digest);
    if (kept === undefined || kept.key !== key) return;
    kept.inFlight -= 1;
    if (kept.doneMs !== null) return;
    if (outcome === 'done') kept.doneMs = nowMs;
    else if (outcome === 'unknown') kept.isUnknown = true;
    else if (outcome === 'declined' || (!kept.isUnknown && kept.inFlight === 0)) {
      this.#kept.delete(digest);
      kept.giveBack();
    }
  }

  #keep(kept: Kept): void {
    this.#kept.delete(kept.digest); // set anew, it is forgotten last
    this.#kept.set(kept.digest, kept);
    if (this.#kept.size <= KEPT_MAX) return;
    // Never one of unknown outcome: its repeat would act twice.
    const oldest = [...this.#kept.values()].find(({ doneMs }) => doneMs !== null);
    if (oldest !== undefined) this.#kept.delete(oldest.digest);
  }
}
