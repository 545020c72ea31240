import { useEffect, useState } from 'react';
import { useSharedTexts } from '../texts/shared.ts';

/** What is there sooner is never announced: a flash of "loading" only unsettles. Milliseconds. */
const LATE_MS = 200;

/** Says that something is loading, once it takes long. */
export function Pending() {
  const { parts } = useSharedTexts();
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="pending" role="status">
      {isLate ? parts.loading : ''}
    </p>
  );
}
