/** Asks the person to confirm who they are, while a request waits for it. The dialog of the frame listens. */
type Listener = () => void;

let answer: ((isConfirmed: boolean) => void) | null = null;
let asked: Promise<boolean> | null = null;
const listeners = new Set<Listener>();

const tell = (): void => {
  for (const listener of listeners) listener();
};

export const isAsked = (): boolean => asked !== null;

export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Requests that wait at once are answered by one dialog. */
export function askFresh(): Promise<boolean> {
  asked ??= new Promise((resolve) => {
    answer = resolve;
  });
  tell();
  return asked;
}

export function answerFresh(isConfirmed: boolean): void {
  answer?.(isConfirmed);
  asked = null;
  answer = null;
  tell();
}
