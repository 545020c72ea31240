import { type RefObject, useEffect } from 'react';

/** Whoever types, or has a window open, means something else by a letter. */
export function isTyping({ target }: KeyboardEvent): boolean {
  if (document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null) return true;
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
}

const STEPS: Readonly<Record<string, number>> = { j: 1, k: -1 };

/** J and K take the focus to the next and the former row; Enter then follows its link, as for any. */
export function useListKeys(place: RefObject<HTMLElement | null>, isOn = true): void {
  useEffect(() => {
    if (!isOn) return;
    const move = (event: KeyboardEvent): void => {
      const step = STEPS[event.key];
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      const links = [...(place.current?.querySelectorAll<HTMLElement>('.row-link') ?? [])];
      const at = links.indexOf(document.activeElement as HTMLElement);
      const next = links[at === -1 ? 0 : at + step];
      next?.focus();
      next?.scrollIntoView({ block: 'nearest' });
    };
    document.addEventListener('keydown', move);
    return () => document.removeEventListener('keydown', move);
  }, [place, isOn]);
}
