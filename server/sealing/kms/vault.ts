import { setTimeout as sleep } from 'node:timers/promises';
import { KMS_TIMEOUT_MS, KMS_TRIES, type Kms, KmsFault } from './port.ts';

/** Where Vault is, and how it knows us. */
export interface VaultAccess {
  readonly address: string;
  readonly token: string;
  /** Null: the one that the token is of. */
  readonly namespace: string | null;
}

const PAUSE_MS = 300;
const TOO_MANY = 429;

/** What Vault answers: what was asked for, or why not. */
interface Answer {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly string[];
}

class VaultSilent extends Error {}

/** What became of one call; throws `VaultSilent` where it may be made again. */
async function ask(url: string, { token, namespace }: VaultAccess, body: object): Promise<Answer['data']> {
  const headers = {
    'content-type': 'application/json',
    'x-vault-token': token,
    'x-vault-request': 'true',
    ...(namespace === null ? {} : { 'x-vault-namespace': namespace }),
  };
  const signal = AbortSignal.timeout(KMS_TIMEOUT_MS);
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal }).catch(
    ({ message, cause }: Error) => {
      throw new VaultSilent(cause instanceof Error ? cause.message || message : message);
    },
  );
  // Whatever answers in front of it may answer in another form.
  const answer: Answer = await response.json().catch(() => ({}));
  const why = `status ${response.status}${answer.errors?.length ? `, ${answer.errors.join(', ')}` : ''}`;
  if (response.status >= 500 || response.status === TOO_MANY) throw new VaultSilent(why);
  if (!response.ok) throw new KmsFault('Vault', { refused: true, why });
  return answer.data;
}

async function askAgain(url: string, access: VaultAccess, body: object): Promise<Answer['data']> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask(url, access, body);
    } catch (error) {
      if (!(error instanceof VaultSilent)) throw error;
      if (tries >= KMS_TRIES) throw new KmsFault('Vault', { refused: false, why: error.message });
      await sleep(PAUSE_MS * tries);
    }
  }
}

/** A key of Vault's transit engine. */
export function openVault({ mount, key }: { mount: string; key: string }, access: VaultAccess): Kms {
  const call = async (
    verb: 'encrypt' | 'decrypt',
    [name, value]: [string, string],
    wanted: string,
  ): Promise<string> => {
    const answer = await askAgain(`${access.address}/v1/${mount}/${verb}/${key}`, access, { [name]: value });
    const found = answer?.[wanted];
    if (typeof found === 'string') return found;
    throw new KmsFault('Vault', { refused: true, why: `its answer has no ${wanted}` });
  };
  return {
    wrap: (plain) => call('encrypt', ['plaintext', Buffer.from(plain).toString('base64')], 'ciphertext'),
    unwrap: async (wrapped) => Buffer.from(await call('decrypt', ['ciphertext', wrapped], 'plaintext'), 'base64'),
  };
}
