import { Option } from 'commander';
import type pg from 'pg';
import { AccountUpdate } from '../../contract/account.ts';
import { CORNER_RADIUS_MAX, PAGE_FONTS } from '../../contract/forms.ts';
import type { Account } from '../../server/accounts/entity.ts';
import { type Logo, looks, PROFILE } from '../../server/accounts/look.ts';
import { networkForms } from '../../server/accounts/networks.ts';
import { differs, type LoggedTx } from '../../server/audit-log/audit-log.ts';
import type { Config } from '../../server/config.ts';
import { customerTextForms } from '../../server/customers/rules.ts';
import { combine, run, statement, writeOf } from '../../server/db/statement.ts';
import { createSender } from '../../server/events/deliveries/http/sender.ts';
import { withTextForms } from '../../server/http/strict-contract.ts';
import type { AccountProfile } from '../../server/kernel/account.ts';
import { BillingError, missing, type Violation } from '../../server/kernel/errors.ts';
import { type ClockScope, REAL_CLOCK, systemClock } from '../../server/kernel/time.ts';
import { mailOfLook } from '../../server/mail/look-change.ts';
import { insertMails, mailOf } from '../../server/mail/queue.ts';
import { cardForms } from '../../server/payments/card/number.ts';
import { fetchLogo } from '../../server/profile/logo.ts';
import { accountTextForms } from '../../server/profile/rules.ts';
import { changeLook, type LookChanges } from '../../server/profile/update.ts';
import { viewAccount } from '../../server/profile/view.ts';
import { factWrites, freeze } from '../../server/unit-of-work/facts.ts';

const NONE = 'none';

/** What buyers see of an account, as it is typed. */
export interface LookOptions {
  readonly name?: string | undefined;
  readonly taxId?: string | undefined;
  readonly supportEmail?: string | undefined;
  readonly supportPhone?: string | undefined;
  readonly color?: string | undefined;
  readonly logoUrl?: string | undefined;
  readonly coverColor?: string | undefined;
  readonly cornerRadius?: string | undefined;
  readonly font?: string | undefined;
  readonly termsUrl?: string | undefined;
  readonly privacyUrl?: string | undefined;
}

export const lookOptions: readonly Option[] = [
  new Option('--name <name>', 'name, shown to buyers and in the PIX QR code'),
  new Option('--tax-id <number>', 'CNPJ or CPF shown to buyers, or none'),
  new Option('--support-email <address>', 'where buyers write to, or none'),
  new Option('--support-phone <number>', 'where buyers call, or none'),
  new Option('--color <#rrggbb>', 'color of buttons and links; white must be readable on it; or none'),
  new Option('--logo-url <url>', 'where the logo is fetched from now, a PNG, JPEG or WebP, or none'),
  new Option('--cover-color <#rrggbb>', 'color behind the name and the amount on payment pages, or none'),
  new Option(
    '--corner-radius <pixels>',
    `how round the corners of payment pages are, 0 to ${CORNER_RADIUS_MAX}, or none`,
  ),
  new Option('--font <font>', `what payment pages are written in: ${PAGE_FONTS.join(', ')}, or none`),
  new Option('--terms-url <url>', 'the terms that whoever subscribes agrees to, or none'),
  new Option('--privacy-url <url>', 'what is said of personal data, or none'),
];

const forms = { ...customerTextForms, ...accountTextForms, ...networkForms, ...cardForms };
const schema = withTextForms(AccountUpdate, forms);

const readOption = (text: string | undefined): string | null | undefined => (text === NONE ? null : text);

function readNumber(text: string | undefined): number | null | undefined {
  const given = readOption(text);
  return typeof given === 'string' ? Number(given) : given;
}

/** The changes that were given, as the API would take them; all that is wrong with them comes in one refusal. */
export function readLookChanges(options: LookOptions): AccountUpdate {
  const given = {
    name: options.name,
    tax_id: readOption(options.taxId),
    support_email: readOption(options.supportEmail),
    support_phone: readOption(options.supportPhone),
    color: readOption(options.color),
    logo_url: readOption(options.logoUrl),
    cover_color: readOption(options.coverColor),
    corner_radius: readNumber(options.cornerRadius),
    font: readOption(options.font),
    terms_url: readOption(options.termsUrl),
    privacy_url: readOption(options.privacyUrl),
  };
  const { success, data, error } = schema.safeParse(given);
  // The checks of the texts' forms hide the type of what they check.
  if (success) return data as AccountUpdate;
  const broken = new Map<string, Violation>();
  for (const { path, message } of error.issues) {
    const param = path.join('.');
    if (!broken.has(param)) broken.set(param, { param, code: 'PARAMETER_INVALID', message: `${param} ${message}` });
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

const readProfiles = statement<AccountProfile>(
  'admin_read_profiles',
  `SELECT ${PROFILE} FROM account_look look WHERE look.account_id = ANY (:accountIds)`,
);

const showLook = (look: AccountProfile) => {
  const { id, object, created, publishable_key, live_mode, ...shown } = viewAccount(look);
  return shown;
};

/** What buyers see of each of some accounts: of live mode, and of the sandbox apart. */
export async function readLooks(pool: pg.Pool | pg.ClientBase, accountIds: readonly string[]) {
  const read = await run(pool, readProfiles, { accountIds });
  const shown = new Map<string, object>();
  for (const look of read) {
    const own = look.liveMode ? showLook(look) : { sandbox_look: showLook(look) };
    shown.set(look.id, { ...shown.get(look.id), ...own });
  }
  return shown;
}

interface LookOf extends LookChanges {
  readonly account: Account;
  readonly liveMode: boolean;
  /** The host of links, which mails are named after. */
  readonly host: string;
}

const scopeOf = ({ account, liveMode }: LookOf): ClockScope => ({
  accountId: account.id,
  liveMode,
  clock: liveMode ? REAL_CLOCK : { aheadSeconds: account.sandboxOffsetSeconds, heldAt: account.clockHeldAt ?? null },
});

/** Changes what buyers see of an account in a mode, and says so in the log; what a request tells of a change is told of this one, too. */
export async function storeLook(tx: LoggedTx, of: LookOf): Promise<void> {
  const { account, liveMode } = of;
  const [look] = await run(tx.pool, looks.lock.one, { key: account.id, accountId: account.id, liveMode });
  if (look === undefined) throw missing('account', account.id);
  const owner = { name: look.name, email: account.email };
  const change = changeLook(look, of);
  const { before, after } = change;
  await tx.log({ action: 'account.updated', account: account.id, liveMode, object: account.id, before, after });
  if (!differs(change)) return;
  const scope = scopeOf(of);
  const now = Math.max(look.lastEventAt ?? 0, systemClock.now(scope));
  const fact = freeze('account.updated', viewAccount(look), {
    created: now,
    liveMode,
    after: look.lastEventId ?? null,
  });
  Object.assign(look, { lastEventId: fact.id, lastEventAt: now });
  const mail = mailOf(mailOfLook(owner, { ...change, by: tx.origin.actor, now }), { created: now, host: of.host });
  const { statement: together, values } = combine([
    { statement: looks.update.one, values: looks.update.values(look) },
    ...factWrites(scope, [fact], { created: now }),
    ...(liveMode ? [writeOf(insertMails, { rows: JSON.stringify([mail]), accountId: account.id, liveMode })] : []),
  ]);
  await run(tx.pool, together, values);
}
