import { useSyncExternalStore } from 'react';

const NARROW = matchMedia('(max-width: 47.99rem)');

function subscribe(listener: () => void): () => void {
  NARROW.addEventListener('change', listener);
  return () => NARROW.removeEventListener('change', listener);
}

/** Whether the window is a phone's. The style has the same width. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => NARROW.matches);
