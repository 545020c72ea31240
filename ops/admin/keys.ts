import { type Command, InvalidArgumentError, Option } from 'commander';
import { KEY_LIFETIME_MAX, KEY_NAME_MAX, NETWORKS_MAX, ROLL_HOURS } from '../../contract/api-keys.ts';
import {
  type ApiKey,
  findKey,
  type IssuedKey,
  type KeyReads,
  listKeys,
  statusOfKey,
} from '../../server/accounts/api-keys.ts';
import { createKey, revokeKey, rollAllKeys, rollKey, setKey } from '../../server/accounts/key-changes.ts';
import { readNetwork } from '../../server/accounts/networks.ts';
import { findAccount } from '../../server/accounts/service.ts';
import { DAY, HOUR, MINUTE, realTime, type Timestamp } from '../../server/kernel/time.ts';
import { type AddCommands, instantOf, print, refuseNoOptions, type WithChange, type WithDatabase } from './command.ts';

const ANYWHERE = 'any';

const showKey = (key: ApiKey) => ({
  id: key.id,
  account: key.accountId,
  live_mode: key.liveMode,
  name: key.name,
  scope: key.scope,
  networks: key.networks,
  reads: key.reads,
  hint: key.hint,
  status: statusOfKey(key),
  created: key.created,
  last_used: key.lastUsedAt,
  expires_at: key.expiresAt,
  revoked_at: key.revokedAt,
  replaced_by: key.replacedBy,
});

/** The one answer that has the key itself. */
const printIssued = (issued: IssuedKey): void => print({ ...showKey(issued), key: issued.key });

function readName(text: string): string {
  const name = text.trim();
  const { length } = [...name];
  if (length < 1 || length > KEY_NAME_MAX) throw new InvalidArgumentError(`must have 1 to ${KEY_NAME_MAX} characters`);
  // What cannot be seen can pretend to be another key in a list.
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(name)) throw new InvalidArgumentError('must not contain control characters');
  return name;
}

/** `any` stands alone, and takes the networks back. */
function addNetwork(text: string, before: readonly string[] = []): string[] {
  if (text === ANYWHERE) return [ANYWHERE];
  const read = readNetwork(text);
  if ('problem' in read) throw new InvalidArgumentError(read.problem);
  const networks = [...new Set([...before, read.network])];
  if (networks.length > NETWORKS_MAX) throw new InvalidArgumentError(`must be given at most ${NETWORKS_MAX} times`);
  return networks;
}

function networksOf(given: readonly string[]): string[] {
  if (!given.includes(ANYWHERE)) return [...given];
  if (given.length > 1) throw new Error('--network any stands alone: it lifts the restriction');
  return [];
}

const UNITS: Readonly<Record<string, number>> = { m: MINUTE, h: HOUR, d: DAY };

function readLifetime(text: string): Timestamp {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (UNITS[unit] ?? 0);
  if (seconds > 0 && seconds <= KEY_LIFETIME_MAX) return realTime() + seconds;
  throw new InvalidArgumentError('must be a number of minutes, hours or days, such as 30m, 12h or 90d, up to 3650d');
}

function readEnd(text: string): Timestamp {
  const end = instantOf(text);
  const now = realTime();
  if (Number.isInteger(end) && end > now && end <= now + KEY_LIFETIME_MAX) return end;
  throw new InvalidArgumentError(
    'must be an instant ahead, at most 10 years, in Unix seconds or such as 2027-01-31T12:00:00Z',
  );
}

const modeOption = () => new Option('--mode <mode>', 'whose key').choices(['sandbox', 'live']);
const networkOption = (description: string) =>
  new Option('--network <cidr>', `${description}; may be given again`).argParser(addNetwork);

interface CreateOptions {
  readonly mode: string;
  readonly name: string;
  readonly readOnly: boolean;
  readonly network?: readonly string[];
  readonly reads: KeyReads;
  readonly expiresIn?: Timestamp;
  readonly expiresAt?: Timestamp;
}

function createCommand(key: Command, withChange: WithChange): void {
  key
    .command('create <account>')
    .description('make another key; prints it, and it is not shown again')
    .addOption(modeOption().makeOptionMandatory())
    .requiredOption('--name <name>', 'what it is for, 1 to 100 characters', readName)
    .option('--read-only', 'it may only read', false)
    .addOption(
      new Option('--reads <how>', 'eventual: its lists may be some seconds late')
        .choices(['latest', 'eventual'])
        .default('latest'),
    )
    .addOption(networkOption('where it may be used from, such as 203.0.113.0/24; anywhere unless given'))
    .addOption(
      new Option('--expires-in <duration>', 'it ends after so long, such as 12h or 90d').argParser(readLifetime),
    )
    .addOption(
      new Option('--expires-at <instant>', 'it ends then, in Unix seconds or ISO 8601')
        .argParser(readEnd)
        .conflicts('expiresIn'),
    )
    .action(async (accountId: string, options: CreateOptions) => {
      const { mode, name, readOnly, network = [], reads, expiresIn, expiresAt } = options;
      const terms = { name, networks: networksOf(network), reads, expiresAt: expiresIn ?? expiresAt ?? null };
      const scope = readOnly ? 'read' : 'full';
      printIssued(await withChange((tx) => createKey(tx, { accountId, liveMode: mode === 'live', scope, ...terms })));
    });
}

interface RollOptions {
  readonly mode?: string;
  readonly expireHours: string;
  readonly readOnly: boolean;
}

function rollCommand(key: Command, withChange: WithChange): void {
  key
    .command('roll <key>')
    .description(
      'put a new key in the place of one, with its name, scope and networks; ' +
        'with an account and a mode, of all keys of the scope there. Prints the new key, which is not shown again',
    )
    .addOption(modeOption())
    .addOption(
      new Option('--expire-hours <hours>', 'how long the keys before it stay valid')
        .choices(ROLL_HOURS.map(String))
        .default('24'),
    )
    .option('--read-only', 'with an account: roll the keys that may only read', false)
    .action(async (id: string, { mode, expireHours, readOnly }: RollOptions) => {
      const hours = Number(expireHours);
      if (id.startsWith('key_')) {
        if (mode !== undefined || readOnly)
          throw new Error(`${id} has its mode and scope: leave --mode and --read-only out`);
        return printIssued(await withChange((tx) => rollKey(tx, { keyId: id, hours })));
      }
      if (mode === undefined) throw new Error('--mode must be given with an account: sandbox or live');
      const whose = { accountId: id, liveMode: mode === 'live', scope: readOnly ? 'read' : 'full' } as const;
      printIssued(await withChange((tx) => rollAllKeys(tx, { ...whose, hours })));
    });
}

function setCommand(key: Command, withChange: WithChange): void {
  key
    .command('set <key>')
    .description('change the name of a key, or where it may be used from')
    .addOption(new Option('--name <name>', 'what it is for, 1 to 100 characters').argParser(readName))
    .addOption(networkOption('replaces the networks that it may be used from; any: anywhere'))
    .action(async (keyId: string, { name, network }: { name?: string; network?: string[] }, command: Command) => {
      refuseNoOptions(command);
      const networks = network === undefined ? undefined : networksOf(network);
      print(showKey(await withChange((tx) => setKey(tx, { keyId, name, networks }))));
    });
}

function readingCommands(key: Command, withDatabase: WithDatabase): void {
  key
    .command('list <account>')
    .description('list the keys of an account, those that ended too, one a line')
    .addOption(modeOption())
    .action((accountId: string, { mode }: { mode?: string }) =>
      withDatabase(async ({ orm, pool }) => {
        await findAccount(orm, accountId);
        const keys = await listKeys(pool, accountId);
        keys
          .filter(({ liveMode }) => mode === undefined || liveMode === (mode === 'live'))
          .map(showKey)
          .forEach(print);
      }),
    );
  key
    .command('show <key>')
    .description('say what a key may do, when it was last used and when it ends')
    .action((id: string) => withDatabase(async ({ pool }) => print(showKey(await findKey(pool, id)))));
}

export const keyCommands: AddCommands = (program, withDatabase, withChange) => {
  const key = program.command('key').description('API keys');
  createCommand(key, withChange);
  readingCommands(key, withDatabase);
  rollCommand(key, withChange);
  setCommand(key, withChange);
  key
    .command('revoke <key>')
    .description('end a key at once, in every process within a second')
    .option('--yes', 'even the last full key of its account and mode', false)
    .action(async (keyId: string, { yes }: { yes: boolean }) =>
      print(showKey(await withChange((tx) => revokeKey(tx, { keyId, evenLast: yes })))),
    );
};
