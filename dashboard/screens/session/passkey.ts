import { FaturaError, type FaturaErrorCode } from '@fatura/sdk';
import type { AuthenticationResponseJSON } from '@simplewebauthn/browser';
import { useMutation } from '@tanstack/react-query';
import { auth, type Session } from '../../api/auth.ts';

/** A host that is a number, and no name. */
const ADDRESS = /^(?:[\d.]+|\[.*\])$/;

/** Browsers keep passkeys for names of hosts alone: at an address there are none. */
export const hasPasskeys = (): boolean => !ADDRESS.test(location.hostname);

/** The person turned away, or the browser has no key of theirs. */
const failed = (cause: unknown): FaturaError =>
  new FaturaError({
    message: 'the passkey was not used',
    code: 'PASSKEY_FAILED' as FaturaErrorCode, // of the dashboard alone
    type: 'client_error',
    cause,
  });

type Prove = (proof: { challenge_id: string; response: AuthenticationResponseJSON }) => Promise<Session>;

/** Shows a passkey to the service. */
export function usePasskey(prove: Prove, proven: (session: Session) => void) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const { challenge_id, options } = await auth.passkeyOptions();
      const { startAuthentication } = await import('@simplewebauthn/browser');
      const response = await startAuthentication({ optionsJSON: options }).catch((cause: unknown) => {
        throw failed(cause);
      });
      return prove({ challenge_id, response });
    },
    onSuccess: proven,
  });
  return { run: () => mutate(), isPending, error };
}

/** Makes a passkey in this browser or on a phone beside it, and gives it to the service. */
export async function makePasskey(name: string) {
  const { challenge_id, options } = await auth.newPasskeyOptions();
  const { startRegistration } = await import('@simplewebauthn/browser');
  const response = await startRegistration({ optionsJSON: options }).catch((cause: unknown) => {
    throw failed(cause);
  });
  return auth.addPasskey({ challenge_id, name, response });
}
