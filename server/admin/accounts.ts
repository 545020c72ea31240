import { type Command, Option } from 'commander';
import type { Account } from '../accounts/entity.ts';
import {
  type AccountSettings,
  createAccount,
  findAccount,
  type LimitChanges,
  listAccounts,
  ROLL_HOURS,
  rollKey,
  setLimits,
  updateAccount,
} from '../accounts/service.ts';
import type { CollectionDays } from '../kernel/collection-days.ts';
import { DAY, MINUTE, systemClock } from '../kernel/time.ts';
import { integerWithin, print, refuseNoOptions, type WithDatabase } from './command.ts';
import { fetchLogoOf, type LookOptions, lookOptions, readLookChanges, storeLook } from './look.ts';

const LIMIT_MAX = 1_000_000_000;

const limitMax = integerWithin({ min: 1, max: LIMIT_MAX });

/** Beyond it no cycle of a subscription is tried: the year 2100. */
const CLOCK_MAX = 4_102_444_800;

/** Their limits are told together with what they must be to each other. */
const readDays = (text: string): number => Number(text);

const readRetryDays = (text: string): number[] => (text === 'none' ? [] : text.split(',').map(readDays));

type LimitOption = number | 'default';

function readLimit(text: string): LimitOption {
  return text === 'default' ? text : limitMax(text);
}

/** What each limit is of, as its option says. */
const limited: Readonly<Record<keyof LimitChanges, string>> = {
  general: 'all routes without a limit of their own',
  'payment_intents.get': 'GET /payment_intents/{id}',
  'checkout_sessions.create': 'POST /checkout/sessions',
  'checkout_sessions.get': 'GET /checkout/sessions/{id}',
  'checkout_sessions.list': 'GET /checkout/sessions',
};

const limitOptions = Object.entries(limited).map(([name, what]) => ({
  name,
  option: new Option(`--${name.replaceAll(/[._]/g, '-')} <max>`, what).argParser(readLimit),
}));

/** The limits that were named: one to store, null for one to remove. */
const limitChanges = (options: Readonly<Record<string, LimitOption>>): LimitChanges =>
  Object.fromEntries(
    limitOptions.flatMap(({ name, option }) => {
      const max = options[option.attributeName()];
      return max === undefined ? [] : [[name, max === 'default' ? null : max]];
    }),
  );

const showAccount = (account: Account) => ({
  id: account.id,
  name: account.name,
  email: account.email,
  city: account.city,
  tax_id: account.taxId ?? null,
  support_email: account.supportEmail ?? null,
  support_phone: account.supportPhone ?? null,
  color: account.color ?? null,
  logo_url: account.logoUrl ?? null,
  created: account.created,
  pix_validity_seconds: account.pixValiditySeconds,
  overdue_days: account.overdueDays,
  suspend_days: account.suspendDays,
  cancel_days: account.cancelDays,
  retry_days: account.retryDays,
  limits: account.limits,
  test_clock: {
    now: systemClock.now({
      clock: { aheadSeconds: account.sandboxOffsetSeconds, heldAt: account.clockHeldAt ?? null },
    }),
    target: account.clockTarget ?? null,
  },
});

type SettingOptions = { name?: string; email?: string; city?: string; pixValidity?: number } & Partial<CollectionDays>;

function createCommand(account: Command, withDatabase: WithDatabase): void {
  account
    .command('create')
    .description('create an account; prints its keys, which are not shown again')
    .requiredOption('--name <name>', 'name, shown to buyers in the PIX QR code')
    .requiredOption('--email <email>', 'e-mail of the owner')
    .option('--city <city>', 'city, shown in the PIX QR code (default SAO PAULO)')
    .option(
      '--clock <unix>',
      "the sandbox's first instant, past or future, in Unix seconds (default now)",
      integerWithin({ min: 0, max: CLOCK_MAX }),
    )
    .action((options: { name: string; email: string; city?: string; clock?: number }) =>
      withDatabase(async (database) => print(await createAccount(database, options))),
    );
}

/** What was given; the days are those that are left. */
function settingsOf({ name, email, city, pixValidity, ...collection }: SettingOptions): AccountSettings {
  const others = { name, email, city, pixValiditySeconds: pixValidity };
  return { ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined)), collection };
}

function setCommand(account: Command, withDatabase: WithDatabase): void {
  const set = account
    .command('set <account>')
    .description('change settings of an account; those of collection hold for what is scheduled from then on')
    .option('--name <name>')
    .option('--email <email>')
    .option('--city <city>')
    .option(
      '--pix-validity <seconds>',
      'validity of a QR code, 300 to 2592000',
      integerWithin({ min: 5 * MINUTE, max: 30 * DAY }),
    )
    .option('--overdue-days <days>', 'days after its due date at which an invoice is overdue', readDays)
    .option('--suspend-days <days>', 'days after its due date at which a renewal suspends its subscription', readDays)
    .option('--cancel-days <days>', 'days after its due date at which a renewal ends its subscription', readDays)
    .option(
      '--retry-days <days>',
      'days after its first charge that a card is charged again, as in 1,3,7, or none',
      readRetryDays,
    );
  for (const option of lookOptions) set.addOption(option);
  set.action((id: string, options: SettingOptions & LookOptions, command: Command) => {
    refuseNoOptions(command);
    const { taxId, supportEmail, supportPhone, color, logoUrl, ...settings } = options;
    const changes = readLookChanges({ taxId, supportEmail, supportPhone, color, logoUrl });
    return withDatabase(async (database, config) => {
      const logo = await fetchLogoOf(changes, { config, accountId: id });
      await updateAccount(database.orm, id, settingsOf(settings));
      await storeLook(database, { accountId: id, changes, logo });
      print(showAccount(await findAccount(database.orm, id)));
    });
  });
}

export function accountCommands(program: Command, withDatabase: WithDatabase): void {
  const account = program.command('account').description('accounts');
  createCommand(account, withDatabase);
  account
    .command('list')
    .description('list the accounts, one a line')
    .action(() => withDatabase(async ({ orm }) => (await listAccounts(orm)).map(showAccount).forEach(print)));
  setCommand(account, withDatabase);
  const setLimitsCommand = account
    .command('set-limits <account>')
    .description('change the rate limits of an account, in requests per minute and key; `default` takes one back');
  for (const { option } of limitOptions) setLimitsCommand.addOption(option);
  setLimitsCommand.action((id: string, options: Record<string, LimitOption>, command: Command) => {
    refuseNoOptions(command);
    return withDatabase(async ({ orm }) => print(showAccount(await setLimits(orm, id, limitChanges(options)))));
  });
}

export function keyCommands(program: Command, withDatabase: WithDatabase): void {
  const mode = new Option('--mode <mode>', 'whose key').choices(['sandbox', 'live']).makeOptionMandatory();
  const hours = new Option(
    '--expire-hours <hours>',
    'how long the keys of the same mode and scope before it stay valid',
  )
    .choices(ROLL_HOURS.map(String))
    .default('24');
  program
    .command('key')
    .description('API keys')
    .command('roll <account>')
    .description('issue a new key; the keys of its mode and scope before it run out')
    .addOption(mode)
    .addOption(hours)
    .option('--read-only', 'the new key may only read', false)
    .action((accountId: string, options: { mode: string; expireHours: string; readOnly: boolean }) =>
      withDatabase(async (database) => {
        const liveMode = options.mode === 'live';
        const scope = options.readOnly ? 'read' : 'full';
        const key = await rollKey(database, { accountId, liveMode, scope, hours: Number(options.expireHours) });
        print({ account: accountId, live_mode: liveMode, scope, key });
      }),
    );
}
