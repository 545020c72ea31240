import { useEffect, useSyncExternalStore } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { useSharedTexts } from '../texts/shared.ts';

interface Note {
  readonly id: number;
  readonly text: string;
}

const SHOWN_MS = 7_000;

let notes: readonly Note[] = [];
let count = 0;
const listeners = new Set<() => void>();

function keep(next: readonly Note[]): void {
  notes = next;
  for (const listener of listeners) listener();
}

const remove = (id: number): void => keep(notes.filter((note) => note.id !== id));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Says in a sentence what has been done: shown for a while, and read out. */
export function toast(text: string): void {
  count += 1;
  keep([...notes, { id: count, text }]);
}

function Toast({ note }: { note: Note }) {
  const { parts } = useSharedTexts();
  useEffect(() => {
    const timer = setTimeout(() => remove(note.id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [note.id]);
  return (
    <div className="toast">
      <span>{note.text}</span>
      <AriaButton className="link-button" onPress={() => remove(note.id)}>
        {parts.close}
      </AriaButton>
    </div>
  );
}

/** Where the sentences appear; once, in the frame. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => notes);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map((note) => (
        <Toast key={note.id} note={note} />
      ))}
    </div>
  );
}
