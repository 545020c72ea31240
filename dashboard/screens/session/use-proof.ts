import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import type { Session } from '../../api/auth.ts';

interface Proof {
  readonly password: string;
  /** Of the authenticator app; nothing where none was asked for. */
  readonly code: { code?: string };
}

const text = (data: FormData, name: string): string => {
  const value = data.get(name);
  return typeof value === 'string' ? value : '';
};

/** Sends what a form says of who somebody is. */
export function useProof(
  prove: (proof: Proof, data: FormData) => Promise<Session>,
  proven: (session: Session) => void,
) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: (data: FormData) => {
      const code = text(data, 'code').trim();
      return prove({ password: text(data, 'password'), code: code === '' ? {} : { code } }, data);
    },
    onSuccess: proven,
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!isPending) mutate(new FormData(event.currentTarget));
  };
  return { submit, isPending, error };
}
