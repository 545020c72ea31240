import { Secret, TOTP } from 'otpauth';
import type { RateLimit, RateLimiter } from '../admission/rate-limit.ts';
import { changeLogged } from '../audit-log/audit-log.ts';
import type { Deps } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { MINUTE, realTime, realTimeMs } from '../kernel/time.ts';
import { places } from '../sealing/sealed-columns.ts';
import { isPassword } from './passwords.ts';
import {
  accountsOfPerson,
  foldEmail,
  logOfPerson,
  originOfPerson,
  type Person,
  personOfEmail,
  setTotp,
  takeTotpStep,
} from './people.ts';
import { type Device, openSession } from './sessions.ts';

const WINDOW_SECONDS = 15 * MINUTE;
/** Tries of a name, and from an address, in 15 minutes (docs/product/dashboard.md#limits). */
const nameLimit: RateLimit = { name: 'staff_name', max: 10, block: 1, windowSeconds: WINDOW_SECONDS };
const addressLimit: RateLimit = { name: 'staff_address', max: 50, block: 1, windowSeconds: WINDOW_SECONDS };

/** A code is good in its half minute, and in the one before and after it. */
const TOTP_PERIOD = 30;
const TOTP_WINDOW = 1;
const TOTP_ISSUER = 'Fatura';

export interface StaffDeps extends Pick<Deps, 'pool' | 'secretBox' | 'metrics' | 'logger' | 'settings'> {
  readonly rateLimiter: RateLimiter;
}

/** Where somebody signs in from; the address is that by which requests are counted. */
export interface Visitor extends Device {
  readonly counted: string;
  readonly requestId: string;
}

/** How somebody showed who they are. */
export type SignInMethod = 'password' | 'passkey' | 'oidc' | 'link';

const failed = (): BillingError =>
  new BillingError('LOGIN_FAILED', { message: 'The e-mail address, the password or the code is wrong' });

/** Counts a try; refuses it where too many came, and the first such one is told of in the logs of the accounts. */
async function countTry(deps: StaffDeps, visitor: Visitor, email: string | null): Promise<void> {
  const refuse = (seconds: number, limit: RateLimit, whose: string): never => {
    deps.metrics.staffSignIns.inc({ outcome: 'limited' });
    throw new BillingError('RATE_LIMITED', {
      message: `${limit.max} tries to sign in ${whose} in 15 minutes are used up; repeat in ${seconds} s`,
      retryAfterSeconds: seconds,
    });
  };
  const byAddress = await deps.rateLimiter.consume(visitor.counted, addressLimit);
  if (!byAddress.allowed) refuse(byAddress.resetSeconds, addressLimit, 'from this address');
  if (email === null) return;
  const name = foldEmail(email);
  const byName = await deps.rateLimiter.consume(name, nameLimit);
  if (byName.allowed && byName.remaining === 0) await tellOfLast(deps, visitor, name);
  if (!byName.allowed) refuse(byName.resetSeconds, nameLimit, 'with this e-mail address');
}

/** The last try of a window is told to whoever reads the logs of the person's accounts. */
async function tellOfLast(deps: StaffDeps, { address, requestId }: Visitor, email: string): Promise<void> {
  const person = await personOfEmail(deps.pool, email);
  deps.logger.warn({ staff: person?.id ?? null, address, requestId }, 'all tries to sign in with a name were used up');
  if (person === null || (await accountsOfPerson(deps.pool, person.id)).length === 0) return;
  const origin = originOfPerson(person, { address, requestId });
  const after = { tries: nameLimit.max, minutes: WINDOW_SECONDS / MINUTE };
  await changeLogged({ pool: deps.pool, origin }, (tx) =>
    logOfPerson(tx, person, { action: 'staff.sign_ins_refused', after }),
  );
}

const totpOf = (secret: Secret, label: string): TOTP =>
  new TOTP({ issuer: TOTP_ISSUER, label, secret, period: TOTP_PERIOD, digits: 6, algorithm: 'SHA1' });

/** Takes a code of a person's app, once; null: it is none, or was taken before. */
export async function isCode(deps: StaffDeps, person: Person, code: string): Promise<boolean> {
  if (person.totpSecret === null) return false;
  const secret = Secret.fromBase32(deps.secretBox.open(person.totpSecret, places.totp(person.id)));
  const delta = totpOf(secret, person.email).validate({ token: code, window: TOTP_WINDOW });
  if (delta === null) return false;
  const step = Math.floor(realTimeMs() / 1_000 / TOTP_PERIOD) + delta;
  return takeTotpStep(deps.pool, { id: person.id, step });
}

/** A new secret for an app, to be shown once; it counts when a code of it has come. */
export async function newTotp(deps: StaffDeps, person: Person): Promise<{ secret: string; uri: string }> {
  const secret = new Secret({ size: 20 });
  const sealed = deps.secretBox.seal(secret.base32, places.totp(person.id));
  await setTotp(deps.pool, { id: person.id, secret: sealed });
  return { secret: secret.base32, uri: totpOf(secret, person.email).toString() };
}

interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly code?: string | undefined;
}

/** The person of a password, and of a code where they have an app; counts the try first. */
export async function checkCredentials(
  deps: StaffDeps,
  visitor: Visitor,
  { email, password, code }: Credentials,
): Promise<Person> {
  await countTry(deps, visitor, email);
  const refuse = (error: BillingError): never => {
    deps.metrics.staffSignIns.inc({ outcome: 'refused' });
    throw error;
  };
  const person = await personOfEmail(deps.pool, email);
  const isRight = await isPassword(password, person?.passwordHash ?? null);
  if (person === null || !isRight) return refuse(failed());
  if (!person.hasTotp) return person;
  if (code === undefined) {
    throw new BillingError('TOTP_REQUIRED', {
      message: 'Send the 6 digits that the authenticator app shows as `code`',
    });
  }
  return (await isCode(deps, person, code)) ? person : refuse(failed());
}

/** Counts a try of somebody who has given no name yet. */
export const countNamelessTry = (deps: StaffDeps, visitor: Visitor): Promise<void> => countTry(deps, visitor, null);

/** Opens a session for somebody who has shown who they are, and says so in the logs of their accounts. */
export async function signIn(
  deps: StaffDeps,
  visitor: Visitor,
  { person, method }: { person: Pick<Person, 'id' | 'name'>; method: SignInMethod },
): Promise<string> {
  const { address, requestId } = visitor;
  const accounts = await accountsOfPerson(deps.pool, person.id);
  if (accounts.length > 0) {
    const after = { method, at: realTime() };
    await changeLogged({ pool: deps.pool, origin: originOfPerson(person, { address, requestId }) }, (tx) =>
      logOfPerson(tx, person, { action: 'staff.signed_in', after }),
    );
  }
  deps.metrics.staffSignIns.inc({ outcome: 'signed_in' });
  return openSession(deps.pool, person.id, visitor);
}
