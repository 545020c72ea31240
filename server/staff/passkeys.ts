import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  VerifiedAuthenticationResponse,
  VerifiedRegistrationResponse,
} from '@simplewebauthn/server';
import { type Connection, run, statement, unixSeconds } from '../db/statement.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import { MINUTE, type Timestamp } from '../kernel/time.ts';
import { type Person, personOf } from './people.ts';
import { countNamelessTry, type StaffDeps, type Visitor } from './sign-in.ts';
import { makeToken, takeToken } from './tokens.ts';

/** Loaded with the first passkey: it takes 5 MiB, and most requests have nothing to do with it. */
const webAuthn = () => import('@simplewebauthn/server');

const RP_NAME = 'Fatura';
/** How long a browser may take to answer a challenge. */
const CHALLENGE_SECONDS = 5 * MINUTE;
/** Passkeys of one person. */
const PASSKEYS_MAX = 20;

export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly created: Timestamp;
  readonly last_used_at: Timestamp | null;
}

interface StoredPasskey {
  readonly id: string;
  readonly staffId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: string[];
}

const listOf = statement<Passkey>(
  'list_staff_passkeys',
  `SELECT k.id, k.name, ${unixSeconds('k.created_at')} AS created, ${unixSeconds('k.last_used_at')} AS last_used_at
   FROM staff_passkey k WHERE k.staff_id = :staffId ORDER BY k.created_at, k.id`,
);
const findPasskey = statement<StoredPasskey>(
  'find_staff_passkey',
  `SELECT k.id, k.staff_id AS "staffId", k.public_key AS "publicKey", k.counter, k.transports FROM staff_passkey k WHERE k.id = :id`,
);
const insertPasskey = statement<{ id: string }>(
  'insert_staff_passkey',
  `INSERT INTO staff_passkey (id, staff_id, public_key, counter, transports, name)
   SELECT :id, :staffId, :publicKey, :counter, :transports::text[], :name
   WHERE (SELECT count(*) FROM staff_passkey WHERE staff_id = :staffId) < ${PASSKEYS_MAX}
   ON CONFLICT (id) DO NOTHING RETURNING id`,
);
/** A counter that does not rise is that of a copy; authenticators that do not count send 0. */
const countPasskey = statement<{ id: string }>(
  'count_staff_passkey',
  `UPDATE staff_passkey SET counter = :counter, last_used_at = now()
   WHERE id = :id AND (counter < :counter OR (counter = 0 AND :counter::bigint = 0)) RETURNING id`,
);
const deletePasskey = statement<{ id: string }>(
  'delete_staff_passkey',
  'DELETE FROM staff_passkey WHERE id = :id AND staff_id = :staffId RETURNING id',
);

export const listPasskeys = (deps: StaffDeps, staffId: string): Promise<Passkey[]> =>
  run(deps.pool, listOf, { staffId });

/** Takes a passkey from a person, who must have it. */
export async function removePasskey(pool: Connection, of: { id: string; staffId: string }): Promise<void> {
  const [removed] = await run(pool, deletePasskey, of);
  if (removed === undefined) throw missing('passkey', of.id);
}

const rpOf = ({ settings }: StaffDeps): { origin: string; id: string } => {
  const { origin, hostname } = new URL(settings.publicUrl);
  return { origin, id: hostname };
};

interface Challenge {
  readonly challenge_id: string;
  readonly options: unknown;
}

async function challengeOf(
  deps: StaffDeps,
  options: { challenge: string },
  staffId: string | null,
): Promise<Challenge> {
  const data = { challenge: options.challenge };
  const id = await makeToken(deps.pool, { kind: 'challenge', staffId, data, seconds: CHALLENGE_SECONDS });
  return { challenge_id: id, options };
}

/** What a browser is asked to make a new passkey with. */
export async function registrationOptions(deps: StaffDeps, person: Person): Promise<Challenge> {
  const known = await listPasskeys(deps, person.id);
  const { generateRegistrationOptions } = await webAuthn();
  const options = await generateRegistrationOptions({
    rpName: RP_NAME,
    rpID: rpOf(deps).id,
    userName: person.email,
    userDisplayName: person.name,
    userID: new Uint8Array(Buffer.from(person.id)),
    excludeCredentials: known.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return challengeOf(deps, options, person.id);
}

/** What a browser is asked to show a passkey with; nobody says whose. */
export async function authenticationOptions(deps: StaffDeps, visitor: Visitor): Promise<Challenge> {
  await countNamelessTry(deps, visitor);
  const { generateAuthenticationOptions } = await webAuthn();
  const options = await generateAuthenticationOptions({ rpID: rpOf(deps).id, userVerification: 'required' });
  return challengeOf(deps, options, null);
}

interface Answered<Response> {
  readonly challenge_id: string;
  readonly response: Response;
}

const failed = (): BillingError =>
  new BillingError('LOGIN_FAILED', { message: 'The passkey is unknown, or its answer is not of this challenge' });

async function challengeUsed(deps: StaffDeps, id: string, staffId: string | null): Promise<string> {
  const used = await takeToken(deps.pool, 'challenge', id);
  if (used === null || used.staffId !== staffId) throw failed();
  return (used.data as { challenge: string }).challenge; // as `challengeOf` wrote it
}

/** What an answer proves; a form that the library cannot read proves nothing. */
const proven = <T extends { verified: boolean }>(verified: Promise<T>): Promise<T | null> => verified.catch(() => null);

/** A passkey that was shown to be its person's. */
export interface NewPasskey extends StoredPasskey {
  readonly name: string;
}

/** What a browser made in answer to a challenge, judged. */
export async function judgePasskey(
  deps: StaffDeps,
  person: Person,
  { challenge_id: challengeId, response, name }: Answered<unknown> & { name: string },
): Promise<NewPasskey> {
  const expectedChallenge = await challengeUsed(deps, challengeId, person.id);
  const rp = rpOf(deps);
  const { verifyRegistrationResponse } = await webAuthn();
  const found: VerifiedRegistrationResponse | null = await proven(
    verifyRegistrationResponse({
      response: response as RegistrationResponseJSON, // the library reads it field by field
      expectedChallenge,
      expectedOrigin: rp.origin,
      expectedRPID: rp.id,
    }),
  );
  if (!found?.verified) throw failed();
  const { id, publicKey, counter, transports = [] } = found.registrationInfo.credential;
  return { id, staffId: person.id, publicKey: Buffer.from(publicKey), counter, transports, name };
}

/** Keeps a new passkey. */
export async function storePasskey(pool: Connection, passkey: NewPasskey): Promise<void> {
  const [kept] = await run(pool, insertPasskey, { ...passkey });
  if (kept !== undefined) return;
  const message = `The passkey is known already, or there are ${PASSKEYS_MAX}, and that is the most`;
  throw new BillingError('INVALID_STATE', { message });
}

/** The person of a passkey, which was shown in answer to a challenge. */
export async function personOfPasskey(
  deps: StaffDeps,
  visitor: Visitor,
  { challenge_id: id, response }: Answered<{ id: string }>,
): Promise<Person> {
  await countNamelessTry(deps, visitor);
  const expectedChallenge = await challengeUsed(deps, id, null);
  const [stored] = await run(deps.pool, findPasskey, { id: response.id });
  const found = stored === undefined ? null : await verified(deps, { response, expectedChallenge, stored });
  const counter = found?.authenticationInfo.newCounter;
  if (stored === undefined || counter === undefined) throw failed();
  const [used] = await run(deps.pool, countPasskey, { id: stored.id, counter });
  const person = used === undefined ? null : await personOf(deps.pool, stored.staffId);
  if (person === null) throw failed();
  return person;
}

async function verified(
  deps: StaffDeps,
  { response, expectedChallenge, stored }: { response: unknown; expectedChallenge: string; stored: StoredPasskey },
): Promise<VerifiedAuthenticationResponse | null> {
  const rp = rpOf(deps);
  const { id, publicKey, counter, transports } = stored;
  const { verifyAuthenticationResponse } = await webAuthn();
  const found = await proven(
    verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON, // the library reads it field by field
      expectedChallenge,
      expectedOrigin: rp.origin,
      expectedRPID: rp.id,
      credential: { id, publicKey: new Uint8Array(publicKey), counter, transports },
    }),
  );
  return found?.verified === true ? found : null;
}
