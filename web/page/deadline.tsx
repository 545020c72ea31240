import { useEffect, useState } from 'preact/hooks';
import { timeLeft } from './format.ts';
import { isDone, type Links, type PurchaseView } from './page-data.ts';

const TICK_MS = 1_000;
/** Long enough to read that the payment has come. */
const REDIRECT_MS = 4_000;

/** Milliseconds that are left of a time. Counted from when it was told: the clock of a device may be wrong. */
export function useTimeLeft(leftMs: number, of: string): number {
  const [left, setLeft] = useState(leftMs);
  useEffect(() => {
    const endsAt = performance.now() + leftMs;
    setLeft(leftMs);
    const timer = setInterval(() => setLeft(Math.max(0, endsAt - performance.now())), TICK_MS);
    return () => clearInterval(timer);
  }, [of, leftMs]);
  return left;
}

/** Until when a purchase can be paid, and the way back for who does not want it. */
export function Deadline({
  endsInMs,
  links,
  refresh,
}: {
  endsInMs: number;
  links: Links;
  refresh: () => Promise<void>;
}) {
  const left = useTimeLeft(endsInMs, 'deadline');
  const isEnded = left === 0;
  useEffect(() => {
    if (isEnded) void refresh();
  }, [isEnded, refresh]);
  return (
    <p class="note deadline">
      <span class="scripted">
        Tempo para pagar: <span role="timer">{timeLeft(left)}</span>.{' '}
      </span>
      {links.back !== null && <a href={links.back}>Cancelar e voltar à loja</a>}
    </p>
  );
}

/** Goes on to the shop when the payment comes while the buyer looks; a page that is opened later stays. */
export function useRedirect(purchase: PurchaseView): void {
  const success = purchase.links?.success ?? null;
  const isOver = isDone(purchase);
  const [wasOver] = useState(isOver);
  useEffect(() => {
    if (success === null || !isOver || wasOver) return;
    const timer = setTimeout(() => location.assign(success), REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [wasOver, isOver, success]);
}
