import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface TroubleProps {
  readonly title?: string;
  readonly text: string;
  /** What just went wrong is brought into view; what was there when the page came is not. */
  readonly isNews: boolean;
  /** What can be done about it at once. */
  readonly children?: ComponentChildren;
}

/** What went wrong, read out at once. */
export function Trouble({ title, text, isNews, children }: TroubleProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isNews) box.current?.focus();
  }, [isNews]);
  return (
    <div class="trouble" role="alert" tabIndex={-1} ref={box}>
      {title !== undefined && <strong>{title}</strong>}
      <p>{text}</p>
      {children}
    </div>
  );
}
