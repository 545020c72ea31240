import { z } from 'zod';

const instant = z.int();

/** Who moves the live money of a payment method, as far as people are told. */
const LiveAcquirer = z.object({
  method: z.enum(['pix', 'card']),
  /** The profile of the PSP: `efi`, `standard`. */
  profile: z.string(),
  /** Null: it has no certificate. */
  certificate_ends_at: instant.nullable(),
  /** Until when it has listed what it received. */
  listed_until: instant,
  changed_at: instant,
});

/** What an operator has set of an account, as its people see it. It is of both modes, but for the logo. */
export const SettingsView = z.object({
  /** Where the account's owner is written to. */
  email: z.string(),
  /** In the BR Code. */
  city: z.string(),
  pix_validity_seconds: z.int(),
  /** Cents. */
  refund_limit: z.int(),
  /** Days after an invoice is due; of a card, after its first charge was declined. */
  collection: z.object({
    overdue_days: z.number(),
    suspend_days: z.number(),
    cancel_days: z.number(),
    retry_days: z.array(z.number()),
  }),
  /** Whether the service has a mail server; without one e-mails stay queued. */
  sends_mail: z.boolean(),
  /** Of the mode that was asked for; `source` is on the service's own host. */
  logo: z.object({ source: z.string(), width: z.int(), height: z.int() }).nullable(),
  live_acquirers: z.array(LiveAcquirer),
});

export type SettingsView = z.output<typeof SettingsView>;
