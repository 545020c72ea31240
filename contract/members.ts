import { z } from 'zod';
import { roleNames } from './roles.ts';

const instant = z.int();

/** What a person shows who they are by; `totp` is an authenticator app beside the password. */
export const signInWays = ['password', 'totp', 'passkey', 'provider'] as const;

/** A person of an account, or an invitation to it. */
export const Member = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.enum(roleNames),
  created: instant,
  /** When they last used the dashboard, to about a minute; null: never. */
  last_seen_at: instant.nullable(),
  /** Whether they can sign in: a set-up link was followed. */
  is_set_up: z.boolean(),
  /** Null: only an owner is told. */
  signs_in_by: z.array(z.enum(signInWays)).nullable(),
  /** Until when the link of an invitation is good; null: it is a person. */
  expires_at: instant.nullable(),
});

export type Member = z.output<typeof Member>;

/** A link that was made for somebody: shown once. */
export const MemberLink = z.object({
  member: Member,
  link: z.string(),
  /** Whether the link was mailed to them, too; `off`: the service has no mail server. */
  mail: z.enum(['sent', 'not_sent', 'off']),
});

export type MemberLink = z.output<typeof MemberLink>;
