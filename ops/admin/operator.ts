import { isIP } from 'node:net';
import { hostname, userInfo } from 'node:os';
import { InvalidArgumentError } from 'commander';
import type { Origin } from '../../server/audit-log/audit-log.ts';
import { operatorForm } from '../../server/config-formats.ts';

export function readOperator(text: string): string {
  const name = operatorForm(text);
  if (name === null) throw new InvalidArgumentError('must be 1 to 100 characters in one line');
  return name;
}

/** Who runs us, as the system knows; a container may have given its user no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** An operator at this machine, or at another one that is connected by SSH. */
export function operatorOrigin(env: Readonly<Record<string, string | undefined>>, name: string | null): Origin {
  const user = systemUser();
  const [address = ''] = (env.SSH_CONNECTION ?? '').split(' ');
  return {
    actor: { kind: 'operator', id: name ?? user, user },
    host: hostname(),
    address: isIP(address) === 0 ? null : address,
    requestId: null,
  };
}
