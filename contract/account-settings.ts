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

/** A PSP that offers API Pix, and what it asks for beyond what all of them do. */
const Psp = z.object({
  profile: z.string(),
  title: z.string(),
  /** Whether its client has a secret beside the certificate. */
  needs_secret: z.boolean(),
  extras: z.array(z.object({ name: z.string(), meaning: z.string(), is_required: z.boolean() })),
});

const credential = z.string().trim().min(1).max(4_000);
/** How often a second runs may ask it; absent: as it was, or 20. Its bounds are those of the settings. */
const chargesPerSecond = z.number().optional();
const PEM_MAX = 20_000;
const pem = z.string().trim().min(1).max(PEM_MAX);

/** What opens the PSP of live PIX. */
const PixCredentials = z.strictObject({
  method: z.literal('pix'),
  profile: credential,
  client_id: credential,
  client_secret: credential.optional(),
  certificate: pem,
  key: pem,
  pix_key: credential,
  /** The bank account that debits by Pix Automático are paid into; absent: as it was, or none. */
  receiver_account: credential.optional(),
  receiver_type: z.enum(['corrente', 'poupanca', 'pagamento']).optional(),
  receiver_branch: credential.optional(),
  charges_per_second: chargesPerSecond,
  extras: z.record(z.string().max(40), credential).optional(),
});

/** What opens the acquirer of live cards. */
const CardCredentials = z.strictObject({
  method: z.literal('card'),
  secret_key: credential,
  public_key: credential,
  soft_descriptor: credential.optional(),
  charges_per_second: chargesPerSecond,
});

export const AcquirerCredentials = z.discriminatedUnion('method', [PixCredentials, CardCredentials]);

export type AcquirerCredentials = z.output<typeof AcquirerCredentials>;

/** What a test of an acquirer found, step by step. */
export const AcquirerTest = z.object({
  steps: z.array(z.object({ step: z.string(), ok: z.boolean(), detail: z.string().nullable() })),
  /** Where the merchant has the acquirer send its notices; null: the test registered it. */
  callback_url: z.string().nullable(),
});

export type AcquirerTest = z.output<typeof AcquirerTest>;

/** What an operator has set of an account, as its people see it. It is of both modes, but for the logo. */
export const SettingsView = z.object({
  /** Where the account's owner is written to. */
  email: z.string(),
  /** In the BR Code. */
  city: z.string(),
  pix_validity_seconds: z.int(),
  /** Cents. */
  refund_limit: z.int(),
  /** Whether the service has a mail server; without one e-mails stay queued. */
  sends_mail: z.boolean(),
  /** Of the mode that was asked for; `source` is on the service's own host. */
  logo: z.object({ source: z.string(), width: z.int(), height: z.int() }).nullable(),
  live_acquirers: z.array(LiveAcquirer),
  /** The PSPs of live PIX that may be chosen. */
  psps: z.array(Psp),
});

export type SettingsView = z.output<typeof SettingsView>;
