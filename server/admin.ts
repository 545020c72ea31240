import { Command, InvalidArgumentError, Option } from 'commander';
import type { Account } from './accounts/entity.ts';
import {
  createAccount,
  type LimitChanges,
  listAccounts,
  ROLL_HOURS,
  rollKey,
  setLimits,
  updateAccount,
} from './accounts/service.ts';
import { parseConfig } from './config.ts';
import { type Database, openDatabase, run } from './db/database.ts';
import { statement } from './db/statement.ts';
import { readRunningInstance } from './embedded/index.ts';
import { entities } from './entities.ts';
import { BillingError } from './kernel/errors.ts';
import { idDay } from './kernel/ids.ts';
import { DAY, MINUTE } from './kernel/time.ts';

const LIMIT_MAX = 1_000_000_000;

function integerWithin(limits: { min: number; max: number }) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= limits.min && value <= limits.max) return value;
    throw new InvalidArgumentError(`must be a whole number from ${limits.min} to ${limits.max}`);
  };
}

const limitMax = integerWithin({ min: 1, max: LIMIT_MAX });

type LimitOption = number | 'default';

function readLimit(text: string): LimitOption {
  return text === 'default' ? text : limitMax(text);
}

/** A limit to store, null for one to remove, nothing for one not named. */
function limitChange(name: keyof LimitChanges, option: LimitOption | undefined): LimitChanges {
  return option === undefined ? {} : { [name]: option === 'default' ? null : option };
}

/** A change of nothing is a mistyped command, not a success. */
function refuseNoOptions(command: Command): void {
  if (Object.keys(command.opts()).length > 0) return;
  const names = command.options.map(({ long }) => long).join(', ');
  throw new Error(`Nothing to change: give at least one of ${names}`);
}

/** The database of the settings, or of the instance that runs on embedded defaults. */
async function openConfigured(): Promise<Database> {
  const config = parseConfig(process.env);
  const url = config.databaseUrl?.reveal() ?? readRunningInstance(config.dataDir)?.databaseUrl;
  if (url === undefined) throw new Error('No instance is running here: run `npm start` first, or set DATABASE_URL.');
  return openDatabase(url, { entities, size: 2 });
}

/** One JSON object or one a line: for scripts as for people. */
const print = (value: unknown): void => console.log(JSON.stringify(value));

async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  const database = await openConfigured();
  try {
    await work(database);
  } finally {
    await database.close();
  }
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

const findEvent = statement(
  'admin_find_event',
  'SELECT account_id, live_mode, body FROM event WHERE day = $1 AND id = $2',
);
const findDeliveries = statement(
  'admin_find_deliveries',
  `SELECT d.endpoint_id, e.url, d.ladder, d.status, d.attempts, d.next_attempt_at,
     (SELECT json_agg(json_build_object('attempt', a.attempt, 'at', a.at, 'status_code', a.status_code, 'failure', a.failure,
        'detail', a.detail, 'duration_ms', a.duration_ms) ORDER BY a.attempt)
      FROM delivery_attempt a WHERE a.day = d.day AND a.event_id = d.event_id AND a.endpoint_id = d.endpoint_id AND a.ladder = d.ladder) AS log
   FROM delivery d LEFT JOIN webhook_endpoint e ON e.id = d.endpoint_id
   WHERE d.day = $1 AND d.event_id = $2 ORDER BY d.endpoint_id, d.ladder`,
);

type AccountOptions = { name?: string; email?: string; city?: string; pixValidity?: number };
type LimitOptions = { general?: LimitOption; paymentIntentsGet?: LimitOption };

function accountCommands(program: Command): void {
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

function keyCommands(program: Command): void {
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

type EventRow = { account_id: string; body: string };

async function findStoredEvent(pool: Database['pool'], id: string): Promise<EventRow> {
  const [row] = await run<EventRow>(pool, findEvent, [idDay(id), id]);
  if (row === undefined) throw new Error(`No such event: ${id}`);
  return row;
}

function eventCommands(program: Command): void {
  program
    .command('event')
    .description('stored events')
    .command('show <event>')
    .description('print an event as its deliveries carry it')
    .action((id: string) =>
      withDatabase(async ({ pool }) => {
        const event = await findStoredEvent(pool, id);
        print({ account: event.account_id, event: JSON.parse(event.body) });
      }),
    );
  program
    .command('delivery')
    .description('webhook deliveries')
    .command('list <event>')
    .description('print the deliveries of an event with their attempts, one endpoint a line')
    .action((id: string) =>
      withDatabase(async ({ pool }) => {
        await findStoredEvent(pool, id);
        const rows = await run<Record<string, unknown>>(pool, findDeliveries, [idDay(id), id]);
        rows.forEach(print);
      }),
    );
}

const program = new Command('admin').description('Operator commands of Fatura');
accountCommands(program);
keyCommands(program);
eventCommands(program);
try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  const violations = error instanceof BillingError ? error.violations.map(({ message }) => message) : [];
  console.error(violations.join('\n') || error.message || String(error));
  process.exitCode = 1;
}
