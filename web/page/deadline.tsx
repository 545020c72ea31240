import { useEffect, useState } from 'preact/hooks';
import { useSpoken } from './language.ts';
import { isDone, type Links, type PurchaseView } from './page-data.ts';

const TICK_MS = 1_000;
/** Long enough to read that the payment has come, and to stay. */
const REDIRECT_SECONDS = 5;

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

interface DeadlineProps {
  readonly endsInMs: number;
  readonly links: Links;
  readonly refresh: () => Promise<void>;
}

/** Until when a purchase can be paid, and the way back for who does not want it. */
export function Deadline({ endsInMs, links, refresh }: DeadlineProps) {
  const { texts, timeLeft } = useSpoken();
  const left = useTimeLeft(endsInMs, 'deadline');
  const isEnded = left === 0;
  useEffect(() => {
    if (isEnded) void refresh();
  }, [isEnded, refresh]);
  return (
    <p class="note deadline">
      <span class="scripted">
        {texts.deadline} <span role="timer">{timeLeft(left)}</span>.{' '}
      </span>
      {links.back !== null && <a href={links.back}>{texts.leave}</a>}
    </p>
  );
}

/** What a buyer does who wants to stay. */
const STAYING = ['pointerdown', 'keydown', 'wheel'] as const;

/** Seconds until the page goes on to the shop; null: it stays. */
export function useRedirect(purchase: PurchaseView): number | null {
  const isOver = isDone(purchase);
  // A page that is opened after the payment stays.
  const [stays, stay] = useState(isOver);
  const success = purchase.links?.success ?? null;
  const isGoing = success !== null && isOver && !stays;
  const [left, setLeft] = useState(REDIRECT_SECONDS);
  useEffect(() => {
    if (!isGoing) return;
    const tick = setInterval(() => setLeft((seconds) => Math.max(0, seconds - 1)), TICK_MS);
    const onStay = (): void => stay(true);
    for (const name of STAYING) addEventListener(name, onStay);
    return () => {
      clearInterval(tick);
      for (const name of STAYING) removeEventListener(name, onStay);
    };
  }, [isGoing]);
  useEffect(() => {
    if (isGoing && left === 0 && success !== null) location.assign(success);
  }, [isGoing, left, success]);
  return isGoing ? left : null;
}
