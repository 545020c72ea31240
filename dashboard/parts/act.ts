import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { useRefresh } from '../api/queries.ts';
import { toast } from './toast.tsx';

/** How a change is sent: a repeat of the same change goes out under the same key. */
export interface SendOptions {
  readonly idempotencyKey: string;
}

interface ActOptions<T> {
  /** Said when it is done. */
  readonly done?: string | ((result: T) => string);
  readonly onDone?: (result: T) => void;
  readonly onError?: (error: Error) => void;
}

/** One key for one body until it is done: whoever asks again after a lost answer asks for the same change. */
function useKeys(): { keyOf: (input: unknown) => string; forget: () => void } {
  const kept = useRef<{ body: string; key: string } | null>(null);
  const keyOf = (input: unknown): string => {
    const body = JSON.stringify(input) ?? '';
    if (kept.current?.body !== body) kept.current = { body, key: crypto.randomUUID() };
    return kept.current.key;
  };
  const forget = (): void => {
    kept.current = null;
  };
  return { keyOf, forget };
}

/**
 * A change that a person asks for. It runs once at a time however often it is asked for, says when it is done, and then has
 * the screen read again. A field that is changed says `edited`: what was refused of the former text goes at once.
 */
export function useAct<I, T>(act: (input: I, options: SendOptions) => PromiseLike<T>, options: ActOptions<T> = {}) {
  const { keyOf, forget } = useKeys();
  const refresh = useRefresh();
  const isRunning = useRef(false);
  const { done, onDone, onError } = options;

  const mutation = useMutation({
    mutationFn: async (input: I) => act(input, { idempotencyKey: keyOf(input) }),
    onSuccess: async (result) => {
      forget();
      if (done !== undefined) toast(typeof done === 'string' ? done : done(result));
      onDone?.(result);
      await refresh();
    },
    onError: (error) => onError?.(error),
    onSettled: () => {
      isRunning.current = false;
    },
  });
  const run = (input: I): void => {
    if (isRunning.current) return;
    isRunning.current = true;
    mutation.mutate(input);
  };
  // Left to itself a refusal would go when its field is left, and the button that is pressed then would move away below the pointer.
  const edited = (): void => {
    if (mutation.error !== null) mutation.reset();
  };
  return { run, isPending: mutation.isPending, error: mutation.error, reset: mutation.reset, edited };
}
