import { realTimeMs } from './time.ts';

interface BriefCache<Value> {
  /** A change is felt within about this, in every process. Milliseconds. */
  readonly ms: number;
  /** So many keys; then all are forgotten. */
  readonly max: number;
  /** Whether a value is remembered at all: made-up keys must not push the real ones out. */
  readonly keeps?: (value: Value) => boolean;
}

/** Loads by a key once in a while, however often it is asked for. */
export function briefly<Value>(
  load: (key: string) => Promise<Value>,
  { ms, max, keeps = () => true }: BriefCache<Value>,
): (key: string) => Promise<Value> {
  const cache = new Map<string, { readonly value: Promise<Value>; readonly loadedAtMs: number }>();
  return (key) => {
    const nowMs = realTimeMs();
    const known = cache.get(key);
    if (known !== undefined && nowMs - known.loadedAtMs < ms) return known.value;
    if (cache.size >= max) cache.clear();
    const value = load(key).then((loaded) => {
      if (!keeps(loaded)) cache.delete(key);
      return loaded;
    });
    // A fault must not be remembered as an answer.
    value.catch(() => cache.delete(key));
    cache.set(key, { value, loadedAtMs: nowMs });
    return value;
  };
}
