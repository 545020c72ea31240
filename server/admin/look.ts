import { Option } from 'commander';
import { AccountUpdate } from '../../contract/account.ts';
import { changeProfile, type Logo, readLogoDigest } from '../accounts/profile.ts';
import type { Config } from '../config.ts';
import { customerTextForms } from '../customers/rules.ts';
import type { LoggedTx } from '../db/audit-log.ts';
import { combine, run, writeOf } from '../db/statement.ts';
import { createSender } from '../events/deliveries/http/sender.ts';
import { withTextForms } from '../http/strict-contract.ts';
import { BillingError, type Violation } from '../kernel/errors.ts';
import { cardForms } from '../payments/card/number.ts';
import { fetchLogo } from '../profile/logo.ts';
import { accountTextForms } from '../profile/rules.ts';
import { columnsOf, logoDigests, logoWrites } from '../profile/update.ts';

const NONE = 'none';

/** What buyers see of an account, as it is typed. */
export interface LookOptions {
  readonly taxId?: string | undefined;
  readonly supportEmail?: string | undefined;
  readonly supportPhone?: string | undefined;
  readonly color?: string | undefined;
  readonly logoUrl?: string | undefined;
}

export const lookOptions: readonly Option[] = [
  new Option('--tax-id <number>', 'CNPJ or CPF shown to buyers, or none'),
  new Option('--support-email <address>', 'where buyers write to, or none'),
  new Option('--support-phone <number>', 'where buyers call, or none'),
  new Option('--color <#rrggbb>', 'color of buttons and links; white must be readable on it; or none'),
  new Option('--logo-url <url>', 'where the logo is fetched from now, a PNG, JPEG or WebP, or none'),
];

const forms = { ...customerTextForms, ...accountTextForms, ...cardForms };
const schema = withTextForms(AccountUpdate, forms);

const readOption = (text: string | undefined): string | null | undefined => (text === NONE ? null : text);

/** The changes that were given, as the API would take them; all that is wrong with them comes in one refusal. */
export function readLookChanges(options: LookOptions): AccountUpdate {
  const given = {
    tax_id: readOption(options.taxId),
    support_email: readOption(options.supportEmail),
    support_phone: readOption(options.supportPhone),
    color: readOption(options.color),
    logo_url: readOption(options.logoUrl),
  };
  const { success, data, error } = schema.safeParse(given);
  // The checks of the texts' forms hide the type of what they check.
  if (success) return data as AccountUpdate;
  const broken = new Map<string, Violation>();
  for (const { path, code, message } of error.issues) {
    const param = path.join('.');
    const rule = code === 'invalid_format' ? 'must be an e-mail address' : message;
    if (!broken.has(param)) broken.set(param, { param, code: 'PARAMETER_INVALID', message: `${param} ${rule}` });
  }
  throw new BillingError('PARAMETER_INVALID', { message: 'see the violations', violations: [...broken.values()] });
}

/** The logo that changes ask for, fetched by the rules of the sandbox: the networks of the settings are reachable. */
export async function fetchLogoOf(
  { logo_url: url }: AccountUpdate,
  { config, accountId }: { config: Config; accountId: string },
): Promise<Logo | null | undefined> {
  if (typeof url !== 'string') return url;
  const sender = createSender({
    allowedNetworks: config.webhookAllowedNetworks,
    nameServers: config.webhookNameServers,
  });
  try {
    return await fetchLogo(sender, url, { accountId, liveMode: false });
  } finally {
    await sender.close();
  }
}

/** Stores what buyers see of an account, its logo with the rest; answers what the log tells of the logo. */
export async function storeLook(
  { pool }: LoggedTx,
  { accountId, changes, logo }: { accountId: string; changes: AccountUpdate; logo: Logo | null | undefined },
): ReturnType<typeof logoDigests> {
  const digests = await logoDigests(logo, () => run(pool, readLogoDigest, { accountId }));
  const writes = [[changeProfile, { changes: columnsOf(changes) }] as const, ...logoWrites(logo)];
  const together = combine(writes.map(([statement, values]) => writeOf(statement, { ...values, accountId })));
  await run(pool, together.statement, together.values);
  return digests;
}
