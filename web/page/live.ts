import { useEffect } from 'preact/hooks';
import { isFinal, type PurchaseView } from './page-data.ts';
import { addressOf, readPurchase } from './requests.ts';

/** While no stream tells of the purchase, the page asks this often. */
const POLL_MS = 5_000;

/** Tells of the purchase by a stream, or by asking where no stream comes through. */
function watch(tell: (purchase: PurchaseView) => void): () => void {
  let isOver = false;
  let timer: number | undefined;
  const source = new EventSource(addressOf('events'));
  const stop = (): void => {
    isOver = true;
    clearTimeout(timer);
    source.close();
  };
  const take = (purchase: PurchaseView): void => {
    tell(purchase);
    if (isFinal(purchase)) stop();
  };
  const poll = (): void => {
    // A stream that cannot be opened fails again and again: that must not put the next question off.
    if (isOver || timer !== undefined || source.readyState === EventSource.OPEN) return;
    timer = setTimeout(async () => {
      const purchase = await readPurchase();
      timer = undefined;
      if (isOver) return;
      if (purchase !== null) take(purchase);
      poll();
    }, POLL_MS);
  };
  source.addEventListener('purchase', ({ data }) => take(JSON.parse(data) as PurchaseView));
  source.addEventListener('error', poll);
  return stop;
}

/** Follows a purchase until nothing more becomes of it; a page that nobody sees follows nothing. */
export function useLive(isFollowed: boolean, tell: (purchase: PurchaseView) => void): void {
  useEffect(() => {
    if (!isFollowed) return;
    let stop: (() => void) | null = null;
    const follow = (): void => {
      stop?.();
      stop = document.visibilityState === 'visible' ? watch(tell) : null;
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    addEventListener('online', follow);
    return () => {
      stop?.();
      document.removeEventListener('visibilitychange', follow);
      removeEventListener('online', follow);
    };
    // What is told keeps its identity for the whole life of the page.
  }, [isFollowed, tell]);
}
