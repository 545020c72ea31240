import { type Command, Option } from 'commander';
import type pg from 'pg';
import {
  collectionSettingsOf,
  setCollectionDays,
  shownCollectionSettings,
} from '../../server/accounts/collection-settings.ts';
import type { Account } from '../../server/accounts/entity.ts';
import {
  type AccountSettings,
  createAccount,
  type LimitChanges,
  listAccounts,
  lockSettings,
  setLimits,
  shownSettings,
  updateAccount,
} from '../../server/accounts/service.ts';
import type { LoggedTx } from '../../server/audit-log/audit-log.ts';
import type { CollectionDays } from '../../server/kernel/collection-days.ts';
import { DAY, MINUTE, systemClock } from '../../server/kernel/time.ts';
import { withoutUndefined } from '../../server/unit-of-work/lists.ts';
import {
  type AddCommands,
  integerWithin,
  print,
  refuseNoOptions,
  type WithChange,
  type WithDatabase,
} from './command.ts';
import { fetchLogoOf, type LookOptions, lookOptions, readLookChanges, readLooks, storeLook } from './look.ts';

const LIMIT_MAX = 1_000_000_000;

const limitMax = integerWithin({ min: 1, max: LIMIT_MAX });

/** Beyond it no cycle of a subscription is tried: the year 2100. */
const CLOCK_MAX = 4_102_444_800;

/** Their limits are told together with what they must be to each other. */
const readDays = (text: string): number => Number(text);

const readDayList = (text: string): number[] => (text === 'none' ? [] : text.split(',').map(readDays));

type LimitOption = number | 'default';

function readLimit(text: string): LimitOption {
  return text === 'default' ? text : limitMax(text);
}

/** What each limit is of, as its option says. */
const limited: Readonly<Record<keyof LimitChanges, string>> = {
  minute: 'all routes without a limit of their own',
  'payment_intents.get': 'GET /payment_intents/{payment_intent_id}',
  'checkout_sessions.create': 'POST /checkout/sessions',
  'checkout_sessions.get': 'GET /checkout/sessions/{checkout_session_id}',
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

const showAccount = (account: Account, ofModes: ReadonlyMap<string, object>) => ({
  id: account.id,
  created: account.created,
  ...shownSettings(account),
  ...ofModes.get(account.id),
  test_clock: {
    now: systemClock.now({
      clock: { aheadSeconds: account.sandboxOffsetSeconds, heldAt: account.clockHeldAt ?? null },
    }),
    target: account.clockTarget ?? null,
  },
});

/** An account as it stands in a transaction that changes it. */
const showChanged = async ({ pool }: LoggedTx, account: Account) =>
  showAccount(account, await readOfModes(pool, [account.id]));

/** What each of some accounts has of each mode: of live mode, and of the sandbox apart. */
async function readOfModes(pool: pg.Pool | pg.ClientBase, accountIds: readonly string[]) {
  const shown = new Map(await readLooks(pool, accountIds));
  for (const settings of await collectionSettingsOf(pool, accountIds)) {
    const collection = shownCollectionSettings(settings);
    const own = settings.liveMode ? collection : { sandbox_collection: collection };
    shown.set(settings.id, { ...shown.get(settings.id), ...own });
  }
  return shown;
}

type SettingOptions = { email?: string; city?: string; pixValidity?: number } & Partial<CollectionDays>;

function createCommand(account: Command, withChange: WithChange): void {
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
    .action(async (options: { name: string; email: string; city?: string; clock?: number }) =>
      print(await withChange((tx) => createAccount(tx, options))),
    );
}

/** Changes what is of the account itself, and its days of collection; answers it as it stands then. */
async function storeSettings(tx: LoggedTx, id: string, options: SettingOptions): Promise<Account> {
  const { email, city, pixValidity: pixValiditySeconds, ...days } = options;
  const own: AccountSettings = withoutUndefined({ email, city, pixValiditySeconds });
  if (Object.keys(days).length > 0) await setCollectionDays(tx, { accountId: id, days });
  return Object.keys(own).length > 0 ? updateAccount(tx, id, own) : lockSettings(tx, id);
}

const settingOptions: readonly Option[] = [
  new Option('--email <email>', 'e-mail of the owner'),
  new Option('--city <city>', 'city, shown in the PIX QR code'),
  new Option('--pix-validity <seconds>', 'validity of a QR code, 300 to 2592000').argParser(
    integerWithin({ min: 5 * MINUTE, max: 30 * DAY }),
  ),
  new Option('--overdue-days <days>', 'days after its due date at which an invoice is overdue').argParser(readDays),
  new Option('--suspend-days <days>', 'days after its due date at which a renewal suspends its subscription').argParser(
    readDays,
  ),
  new Option('--cancel-days <days>', 'days after its due date at which a renewal ends its subscription').argParser(
    readDays,
  ),
  new Option(
    '--retry-days <days>',
    'days after its first charge that a card is charged again, as in 1,3,7, or none',
  ).argParser(readDayList),
  new Option(
    '--reminder-days <days>',
    'days from its due date at which its buyer is reminded of an invoice, as in -3,0,1,3,7, or none',
  ).argParser(readDayList),
];

const isGiven = (command: Command, options: readonly Option[]): boolean =>
  options.some((option) => command.getOptionValue(option.attributeName()) !== undefined);

const isOfLook = (name: string): boolean => lookOptions.some((option) => option.attributeName() === name);

function setCommand(account: Command, withDatabase: WithDatabase, withChange: WithChange): void {
  const set = account
    .command('set <account>')
    .description('change settings of an account; those of collection hold for invoices that are opened from then on');
  for (const option of [...settingOptions, ...lookOptions]) set.addOption(option);
  set.addOption(
    new Option('--mode <mode>', 'whose buyers see the name, tax id, support and look that are given')
      .choices(['sandbox', 'live'])
      .default('live'),
  );
  set.action(async (id: string, options: SettingOptions & LookOptions & { mode: string }, command: Command) => {
    refuseNoOptions(command, [...settingOptions, ...lookOptions]);
    const { mode, ...given } = options;
    const changes = readLookChanges(given);
    const settings: SettingOptions = Object.fromEntries(Object.entries(given).filter(([name]) => !isOfLook(name)));
    // Before the change: no transaction spans a call to elsewhere.
    const logo = await withDatabase((_, config) => fetchLogoOf(changes, { config, accountId: id }));
    const look = { liveMode: mode === 'live', changes, logo };
    const changed = await withChange(async (tx, { publicUrl }) => {
      const isOfSettings = isGiven(command, settingOptions);
      const account = await (isOfSettings ? storeSettings(tx, id, settings) : lockSettings(tx, id));
      if (isGiven(command, lookOptions)) await storeLook(tx, { ...look, account, host: new URL(publicUrl).hostname });
      return showChanged(tx, account);
    });
    print(changed);
  });
}

export const accountCommands: AddCommands = (program, withDatabase, withChange) => {
  const account = program.command('account').description('accounts');
  createCommand(account, withChange);
  account
    .command('list')
    .description('list the accounts, one a line')
    .action(() =>
      withDatabase(async ({ orm, pool }) => {
        const accounts = await listAccounts(orm);
        const ofModes = await readOfModes(
          pool,
          accounts.map(({ id }) => id),
        );
        for (const one of accounts) print(showAccount(one, ofModes));
      }),
    );
  setCommand(account, withDatabase, withChange);
  const setLimitsCommand = account
    .command('set-limits <account>')
    .description('change the rate limits of an account, in requests per minute and key; `default` takes one back');
  for (const { option } of limitOptions) setLimitsCommand.addOption(option);
  setLimitsCommand.action(async (id: string, options: Record<string, LimitOption>, command: Command) => {
    refuseNoOptions(command);
    print(await withChange(async (tx) => showChanged(tx, await setLimits(tx, id, limitChanges(options)))));
  });
};
