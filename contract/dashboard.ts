import { z } from 'zod';
import { AcquirerCredentials, AcquirerTest, SettingsView } from './account-settings.ts';
import { failures } from './errors.ts';
import { meta } from './kernel.ts';
import { Member, MemberLink } from './members.ts';
import { roleNames } from './roles.ts';
import { c } from './router.ts';
import { sampleLetters } from './sample-letters.ts';
import { emailAddress, text } from './texts.ts';

/** The path of the dashboard: of the application, of its sign-in, and of the contract of merchants behind the session. */
export const DASHBOARD = '/dashboard';

export const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 200;
export const STAFF_NAME_MAX = 100;

const instant = z.int();
const Role = z.enum(roleNames);

/** A person that is signed in, and where they may work. */
export const Session = z.object({
  staff: z.object({ id: z.string(), email: z.string(), name: z.string() }),
  accounts: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      role: Role,
      /** Cents: more of one payment is given back after a fresh login, or by another role. */
      refund_limit: z.int(),
      /** Whether its live mode can be paid: it has an acquirer. */
      has_acquirer: z.boolean(),
    }),
  ),
  /** The modes that the service serves. */
  modes: z.array(z.enum(['live', 'sandbox'])),
  /** Until when the login counts as fresh, in Unix seconds; 0: it does not. */
  fresh_until: instant,
  sign_in: z.object({ has_password: z.boolean(), passkeys: z.int(), has_totp: z.boolean(), oidc_only: z.boolean() }),
  /** The list of workflows in Temporal's own pages; null: nowhere from here. */
  temporal_ui: z.string().nullable(),
  public_url: z.string(),
});

export type Session = z.output<typeof Session>;

const password = text({ max: PASSWORD_MAX });
const code = z.string().regex(/^\d{6}$/, 'must be the 6 digits that the app shows');
const token = z.string().max(100);
/** What a browser's authenticator answers; the library judges it. */
const credential = z.looseObject({ id: z.string().max(2_000) });
const challenge = z.object({ challenge_id: z.string(), options: z.unknown() });
const answered = z.strictObject({ challenge_id: z.string().max(100), response: credential });
const nothing = z.strictObject({});
const done = z.object({});

const Passkey = z.object({ id: z.string(), name: z.string(), created: instant, last_used_at: instant.nullable() });
const OpenSession = z.object({
  id: z.string(),
  created: instant,
  last_seen_at: instant,
  address: z.string().nullable(),
  user_agent: z.string().nullable(),
  is_current: z.boolean(),
});

const signIn = meta({ scope: 'write' });
const reads = meta({ scope: 'read' });
const id = z.object({ id: z.string() });
const options = {
  pathPrefix: '/auth',
  strictStatusCodes: true,
  commonResponses: failures(400, 401, 403, 404, 409, 429, 500, 503),
} as const;

/** What whoever follows a set-up link has to do. */
const LinkLook = z.object({
  email: z.string(),
  name: z.string(),
  /** Null: the link is of no account, and sets up anew how its person signs in. */
  account_name: z.string().nullable(),
  /** Set a password; sign in first; nothing but to accept; or sign in at the identity provider. */
  needs: z.enum(['password', 'sign_in', 'accept', 'oidc']),
});

const session = c.router(
  {
    retrieve: { method: 'GET', path: '/session', responses: { 200: Session }, metadata: reads },
    methods: {
      method: 'GET',
      path: '/methods',
      responses: { 200: z.object({ password: z.boolean(), oidc: z.boolean() }) },
      metadata: reads,
    },
    login: {
      method: 'POST',
      path: '/login',
      body: z.strictObject({ email: emailAddress, password, code: code.optional() }),
      responses: { 200: Session },
      metadata: signIn,
    },
    passkeyOptions: {
      method: 'POST',
      path: '/login/passkey/options',
      body: nothing,
      responses: { 200: challenge },
      metadata: signIn,
    },
    passkeyLogin: {
      method: 'POST',
      path: '/login/passkey',
      body: answered,
      responses: { 200: Session },
      metadata: signIn,
    },
    logout: { method: 'POST', path: '/logout', body: nothing, responses: { 200: done }, metadata: signIn },
    lookAtLink: {
      method: 'POST',
      path: '/setup/look',
      body: z.strictObject({ token }),
      responses: { 200: LinkLook },
      metadata: signIn,
    },
    setUp: {
      method: 'POST',
      path: '/setup',
      body: z.strictObject({ token, name: text({ max: STAFF_NAME_MAX }), password }),
      responses: { 200: Session },
      metadata: signIn,
    },
    accept: {
      method: 'POST',
      path: '/setup/accept',
      body: z.strictObject({ token }),
      responses: { 200: Session },
      metadata: signIn,
    },
    fresh: {
      method: 'POST',
      path: '/fresh',
      body: z.strictObject({ password, code: code.optional() }),
      responses: { 200: Session },
      metadata: signIn,
    },
    freshByPasskey: {
      method: 'POST',
      path: '/fresh/passkey',
      body: answered,
      responses: { 200: Session },
      metadata: signIn,
    },
  },
  options,
);

const person = c.router(
  {
    setPassword: {
      method: 'POST',
      path: '/password',
      body: z.strictObject({ password }),
      responses: { 200: Session },
      metadata: signIn,
    },
    passkeys: {
      method: 'GET',
      path: '/passkeys',
      responses: { 200: z.object({ data: z.array(Passkey) }) },
      metadata: reads,
    },
    passkeyOptions: {
      method: 'POST',
      path: '/passkeys/options',
      body: nothing,
      responses: { 200: challenge },
      metadata: signIn,
    },
    addPasskey: {
      method: 'POST',
      path: '/passkeys',
      body: answered.extend({ name: text({ max: STAFF_NAME_MAX }) }),
      responses: { 200: Session },
      metadata: signIn,
    },
    removePasskey: {
      method: 'DELETE',
      path: '/passkeys/:id',
      pathParams: id,
      body: nothing.optional(),
      responses: { 200: Session },
      metadata: signIn,
    },
    beginTotp: {
      method: 'POST',
      path: '/totp',
      body: nothing,
      responses: { 200: z.object({ secret: z.string(), uri: z.string(), qr: z.string() }) },
      metadata: signIn,
    },
    confirmTotp: {
      method: 'POST',
      path: '/totp/confirm',
      body: z.strictObject({ code }),
      responses: { 200: Session },
      metadata: signIn,
    },
    removeTotp: {
      method: 'DELETE',
      path: '/totp',
      body: nothing.optional(),
      responses: { 200: Session },
      metadata: signIn,
    },
    sessions: {
      method: 'GET',
      path: '/sessions',
      responses: { 200: z.object({ data: z.array(OpenSession) }) },
      metadata: reads,
    },
    endSession: {
      method: 'DELETE',
      path: '/sessions/:id',
      pathParams: id,
      body: nothing.optional(),
      responses: { 200: done },
      metadata: signIn,
    },
  },
  options,
);

/** What the owner of an account does with its people; the header `Fatura-Account` names it. */
const staff = c.router(
  {
    list: { method: 'GET', path: '/staff', responses: { 200: z.object({ data: z.array(Member) }) }, metadata: reads },
    invite: {
      method: 'POST',
      path: '/staff',
      body: z.strictObject({ email: emailAddress, role: Role }),
      responses: { 200: MemberLink },
      metadata: signIn,
    },
    change: {
      method: 'PATCH',
      path: '/staff/:id',
      pathParams: id,
      body: z.strictObject({ role: Role }),
      responses: { 200: Member },
      metadata: signIn,
    },
    newLink: {
      method: 'POST',
      path: '/staff/:id/link',
      pathParams: id,
      body: nothing,
      responses: { 200: MemberLink },
      metadata: signIn,
    },
    remove: {
      method: 'DELETE',
      path: '/staff/:id',
      pathParams: id,
      body: nothing.optional(),
      responses: { 200: done },
      metadata: signIn,
    },
    settings: { method: 'GET', path: '/account', responses: { 200: SettingsView }, metadata: reads },
    setRefundLimit: {
      method: 'PATCH',
      path: '/account',
      body: z.strictObject({ refund_limit: z.int().min(0).max(99_999_999_999) }),
      responses: { 200: Session },
      metadata: signIn,
    },
    setAcquirer: {
      method: 'PUT',
      path: '/account/acquirer',
      body: AcquirerCredentials,
      responses: { 200: done },
      metadata: signIn,
    },
    testAcquirer: {
      method: 'POST',
      path: '/account/acquirer/test',
      body: z.strictObject({ method: z.enum(['pix', 'card']) }),
      responses: { 200: AcquirerTest },
      metadata: signIn,
    },
    ...sampleLetters,
  },
  options,
);

/** The sign-in of the dashboard and its people; the screens use the contract of merchants beside it. */
export const dashboardContract = c.router({ session, person, staff });
