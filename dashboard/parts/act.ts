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
}

/** One key for one body: whoever presses twice, or again after a lost answer, asks for the same change. */
function useKeyOf(): (input: unknown) => string {
  const kept = useRef<{ body: string; key: string } | null>(null);
  return (input) => {
    const body = JSON.stringify(input) ?? '';
    if (kept.current?.body !== body) kept.current = { body, key: crypto.randomUUID() };
    return kept.current.key;
  };
}

/**
 * A change that a person asks for. It runs once at a time however often it is asked for, says when it is done, and then has
 * the screen read again.
 */
export function useAct<I, T>(act: (input: I, options: SendOptions) => PromiseLike<T>, options: ActOptions<T> = {}) {
  const keyOf = useKeyOf();
  const refresh = useRefresh();
  const isRunning = useRef(false);
  const { done, onDone } = options;

  const mutation = useMutation({
    mutationFn: async (input: I) => act(input, { idempotencyKey: keyOf(input) }),
    onSuccess: async (result) => {
      if (done !== undefined) toast(typeof done === 'string' ? done : done(result));
      onDone?.(result);
      await refresh();
    },
    onSettled: () => {
      isRunning.current = false;
    },
  });
  const run = (input: I): void => {
    if (isRunning.current) return;
    isRunning.current = true;
    mutation.mutate(input);
  };
  return { run, isPending: mutation.isPending, error: mutation.error, reset: mutation.reset };
}
