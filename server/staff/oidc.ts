import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  randomNonce,
  randomPKCECodeVerifier,
} from 'openid-client';
import { z } from 'zod';
import { changeLogged } from '../audit-log/audit-log.ts';
import { BillingError } from '../kernel/errors.ts';
import { namesLoopback } from '../kernel/loopback.ts';
import type { OidcSettings } from '../kernel/oidc-settings.ts';
import { clip, oneLine } from '../kernel/text.ts';
import { MINUTE } from '../kernel/time.ts';
import {
  accountsOfPerson,
  clearSignIn,
  foldEmail,
  logOfPerson,
  originOfPerson,
  type Person,
  personOfEmail,
  personOfSubject,
  setSubject,
} from './people.ts';
import { endSessions, FRESH_SECONDS } from './sessions.ts';
import { acceptAllInvitations } from './set-up.ts';
import { countNamelessTry, type StaffDeps, type Visitor } from './sign-in.ts';
import { endTokens, makeToken, takeToken } from './tokens.ts';

/** How long somebody may take at the provider. */
export const OIDC_SECONDS = 10 * MINUTE;
const NAME_MAX = 100;
const TIMEOUT_SECONDS = 10;

const stored = z.object({ nonce: z.string(), verifier: z.string(), returnTo: z.string(), isFresh: z.boolean() });

/** What is read of an ID token: an address counts where the provider says that it has verified it. */
const claims = z.object({
  iss: z.string(),
  sub: z.string(),
  email: z.string(),
  email_verified: z.literal(true),
  name: z.string().optional(),
});

const refuse = (message: string): BillingError => new BillingError('LOGIN_FAILED', { message });

/** Signs people in at an identity provider. */
export function createOidc(deps: StaffDeps, settings: OidcSettings) {
  const callback = `${deps.settings.publicUrl}/dashboard/auth/oidc/callback`;
  let found: Promise<Configuration> | null = null;
  const configuration = (): Promise<Configuration> => {
    const { issuer, clientId, clientSecret } = settings;
    const execute = namesLoopback(issuer) ? [allowInsecureRequests] : [];
    found ??= discovery(new URL(issuer), clientId, undefined, ClientSecretBasic(clientSecret), {
      execute,
      timeout: TIMEOUT_SECONDS,
    });
    // What did not come now is asked for again by the next.
    found.catch(() => {
      found = null;
    });
    return found.catch((error: unknown) => {
      deps.logger.warn({ err: error }, 'the identity provider cannot be reached');
      throw new BillingError('SERVICE_UNAVAILABLE', {
        message: 'The identity provider cannot be reached; repeat shortly',
      });
    });
  };

  return {
    isOnly: settings.isOnly,

    /** Where a browser is sent, and the state that it is to bring back. */
    async begin(visitor: Visitor, { returnTo, isFresh }: { returnTo: string; isFresh: boolean }) {
      await countNamelessTry(deps, visitor);
      const config = await configuration();
      const [nonce, verifier] = [randomNonce(), randomPKCECodeVerifier()];
      const data = { nonce, verifier, returnTo, isFresh };
      const state = await makeToken(deps.pool, { kind: 'oidc', data, seconds: OIDC_SECONDS });
      const url = buildAuthorizationUrl(config, {
        redirect_uri: callback,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(isFresh ? { max_age: '0' } : {}),
      });
      return { url, state };
    },

    /** Who came back from the provider, and where they wanted to go. */
    async end(visitor: Visitor, { query, state }: { query: string; state: string }) {
      await countNamelessTry(deps, visitor);
      const used = await takeToken(deps.pool, 'oidc', state);
      if (used === null) throw refuse('The sign-in at the identity provider was not begun here, or took too long');
      const { nonce, verifier, returnTo, isFresh } = stored.parse(used.data);
      const config = await configuration();
      const checks = { pkceCodeVerifier: verifier, expectedNonce: nonce, expectedState: state };
      const maxAge = isFresh ? { maxAge: FRESH_SECONDS } : {};
      const tokens = await authorizationCodeGrant(config, new URL(`${callback}?${query}`), {
        ...checks,
        ...maxAge,
      }).catch((error: unknown) => {
        deps.logger.info({ err: error }, 'a sign-in at the identity provider was refused');
        throw refuse('The identity provider did not say who you are');
      });
      const { data } = claims.safeParse(tokens.claims());
      if (data === undefined) throw refuse('The identity provider gave no verified e-mail address of yours');
      return { person: await personOfClaims(deps, visitor, data), returnTo };
    },
  };
}

export type Oidc = ReturnType<typeof createOidc>;

/** Whom the provider means: by its subject, at first by the address; whoever was invited there joins. */
async function personOfClaims(deps: StaffDeps, visitor: Visitor, said: z.output<typeof claims>): Promise<Person> {
  const subject = `${said.iss} ${said.sub}`;
  const email = foldEmail(said.email);
  const name = clip(oneLine(said.name ?? ''), NAME_MAX) || email;
  const known = await personOfSubject(deps.pool, subject);
  if (known !== null) {
    if (known.email === email) await acceptAllInvitations(deps, visitor, { email, name });
    return known;
  }
  const met = await personOfEmail(deps.pool, email);
  if (met !== null) await bind(deps, visitor, { person: met, subject });
  await acceptAllInvitations(deps, visitor, { email, name });
  const person = met ?? (await personOfEmail(deps.pool, email));
  if (person === null) throw refuse('Nobody with your e-mail address was invited: ask an owner of the account');
  if (met === null) await bind(deps, visitor, { person, subject });
  return person;
}

/**
 * From the first sign-in at the provider on a person is who the provider says. A password of before ends with that: whoever
 * followed a link to the address never showed that they read its mail.
 */
async function bind(
  { pool }: StaffDeps,
  visitor: Visitor,
  { person, subject }: { person: Person; subject: string },
): Promise<void> {
  if (!(await setSubject(pool, { id: person.id, subject }))) {
    throw refuse('Another identity of the provider has your e-mail address here: ask whoever runs the service');
  }
  if ((await accountsOfPerson(pool, person.id)).length === 0) return;
  await changeLogged({ pool, origin: originOfPerson(person, visitor) }, async (tx) => {
    await clearSignIn(tx.pool, person.id);
    await endSessions(tx.pool, person.id);
    await endTokens(tx.pool, person.id);
    await logOfPerson(tx, person, { action: 'staff.sign_in_changed', after: { by: 'oidc' } });
  });
}
