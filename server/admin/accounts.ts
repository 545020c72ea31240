import { type Command, Option } from 'commander';
import type { Account } from '../accounts/entity.ts';
import {
  createAccount,
  type LimitChanges,
  listAccounts,
  ROLL_HOURS,
  rollKey,
  setLimits,
  updateAccount,
} from '../accounts/service.ts';
import { DAY, MINUTE } from '../kernel/time.ts';
import { integerWithin, print, refuseNoOptions, type WithDatabase } from './command.ts';

const LIMIT_MAX = 1_000_000_000;

const limitMax = integerWithin({ min: 1, max: LIMIT_MAX });

type LimitOption = number | 'default';

function readLimit(text: string): LimitOption {
  return text === 'default' ? text : limitMax(text);
}

/** A limit to store, null for one to remove, nothing for one not named. */
function limitChange(name: keyof LimitChanges, option: LimitOption | undefined): LimitChanges {
  return option === undefined ? {} : { [name]: option === 'default' ? null : option };
}

const showAccount = (account: Account) => ({
  id: account.id,
  name: account.name,
  email: account.email,
  city: account.city,
  created: account.created,
  pix_validity_seconds: account.pixValiditySeconds,
  limits: account.limits,
});

type AccountOptions = { name?: string; email?: string; city?: string; pixValidity?: number };
type LimitOptions = { general?: LimitOption; paymentIntentsGet?: LimitOption };

export function accountCommands(program: Command, withDatabase: WithDatabase): void {
  const account = program.command('account').description('accounts');
  account
    .command('create')
    .description('create an account; prints its keys, which are not shown again')
    .requiredOption('--name <name>', 'name, shown to buyers in the PIX QR code')
    .requiredOption('--email <email>', 'e-mail of the owner')
    .option('--city <city>', 'city, shown in the PIX QR code (default SAO PAULO)')
    .action((options: { name: string; email: string; city?: string }) =>
      withDatabase(async (database) => print(await createAccount(database, options))),
    );
  account
    .command('list')
    .description('list the accounts, one a line')
    .action(() => withDatabase(async ({ orm }) => (await listAccounts(orm)).map(showAccount).forEach(print)));
  account
    .command('set <account>')
    .description('change settings of an account')
    .option('--name <name>')
    .option('--email <email>')
    .option('--city <city>')
    .option(
      '--pix-validity <seconds>',
      'validity of a QR code, 300 to 2592000',
      integerWithin({ min: 5 * MINUTE, max: 30 * DAY }),
    )
    .action((id: string, { pixValidity, ...rest }: AccountOptions, command: Command) => {
      refuseNoOptions(command);
      return withDatabase(async ({ orm }) => {
        const settings = { ...rest, ...(pixValidity === undefined ? {} : { pixValiditySeconds: pixValidity }) };
        print(showAccount(await updateAccount(orm, id, settings)));
      });
    });
  account
    .command('set-limits <account>')
    .description('change the rate limits of an account, in requests per minute and key; `default` takes one back')
    .option('--general <max>', 'all routes without a limit of their own', readLimit)
    .option('--payment-intents-get <max>', 'GET /payment_intents/{id}', readLimit)
    .action((id: string, options: LimitOptions, command: Command) => {
      refuseNoOptions(command);
      return withDatabase(async ({ orm }) => {
        const changes = {
          ...limitChange('general', options.general),
          ...limitChange('payment_intents.get', options.paymentIntentsGet),
        };
        print(showAccount(await setLimits(orm, id, changes)));
      });
    });
}

export function keyCommands(program: Command, withDatabase: WithDatabase): void {
  const mode = new Option('--mode <mode>', 'whose key').choices(['sandbox', 'live']).makeOptionMandatory();
  const hours = new Option('--expire-hours <hours>', 'how long the keys before it stay valid')
    .choices(ROLL_HOURS.map(String))
    .default('24');
  program
    .command('key')
    .description('API keys')
    .command('roll <account>')
    .description('issue a new key; the keys of that mode before it run out')
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
