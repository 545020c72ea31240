import { useEffect, useRef } from 'preact/hooks';

/** What went wrong, read out at once and brought into view. */
export function Trouble({ title, text }: { title?: string; text: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <div class="trouble" role="alert" tabIndex={-1} ref={box}>
      {title !== undefined && <strong>{title}</strong>}
      <p>{text}</p>
    </div>
  );
}
