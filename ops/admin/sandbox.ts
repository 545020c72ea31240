import { type Command, InvalidArgumentError, Option } from 'commander';
import { findAccount, lockSettings } from '../../server/accounts/service.ts';
import { differences, type LoggedTx } from '../../server/audit-log/audit-log.ts';
import {
  ANY_CALL,
  bankCalls,
  type CallPattern,
  changeBehaviour,
  readBehaviour,
  resetBehaviour,
  type SettingName,
  settings,
} from '../../server/payments/acquirer/sandbox/behaviour.ts';
import { type AddCommands, integerWithin, print, refuseNoOptions, type WithChange } from './command.ts';

const PERCENT = 100;

/** A share from 0 to 1. */
function percent(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value <= PERCENT) return value / PERCENT;
  throw new InvalidArgumentError(`must be a number from 0 to ${PERCENT}`);
}

interface Change {
  readonly setting: SettingName;
  readonly option: Option;
}

const share = (setting: SettingName, flags: string, description: string): Change => ({
  setting,
  option: new Option(flags, description).argParser(percent),
});

const count = (setting: SettingName, flags: string, description: string): Change => ({
  setting,
  option: new Option(flags, description).argParser(integerWithin({ min: 0, max: settings[setting].max })),
});

const changes: readonly Change[] = [
  count('latency_ms', '--latency <ms>', 'wait before each call'),
  share('request_lost', '--request-lost <percent>', 'requests that never arrive'),
  share('answer_lost', '--answer-lost <percent>', 'answers that never arrive; the work is done'),
  share('fault', '--fault <percent>', 'answers that are an error; the work is done'),
  share('decline', '--decline <percent>', 'charges and verifications of cards that are declined, whatever the card'),
  share('refuse', '--refuse <percent>', 'refunds that are refused'),
  count('not_found_seconds', '--not-found-seconds <s>', 'time until a charge or a refund is found'),
  count('notice_delay_seconds', '--notice-delay <s>', 'each notice of a PIX comes after a random part of it'),
  count('notice_repeats', '--notice-repeats <n>', 'times that a handled notice comes again'),
];

interface Touched {
  readonly action: 'sandbox.set' | 'sandbox.reset';
  readonly accountId: string;
}

/** Does the work for an account that exists, then prints what is set. */
async function change(
  withChange: WithChange,
  { action, accountId }: Touched,
  work: (tx: LoggedTx) => Promise<void>,
): Promise<void> {
  const behaviour = await withChange(async (tx) => {
    await lockSettings(tx, accountId);
    const before = await readBehaviour(tx.pool, accountId);
    await work(tx);
    const after = await readBehaviour(tx.pool, accountId);
    await tx.log({ action, account: accountId, liveMode: false, object: accountId, ...differences(before, after) });
    return after;
  });
  print({ account: accountId, behaviour });
}

function setCommand(sandbox: Command, withChange: WithChange): void {
  const options = changes.map(({ option }) => option);
  const set = sandbox.command('set <account>').description('change how the bank behaves; felt within a second');
  set.addOption(
    new Option('--call <call>', 'the call it is for; wins over what is set for all')
      .choices([ANY_CALL, ...bankCalls])
      .default(ANY_CALL),
  );
  for (const option of options) set.addOption(option);
  set.action((account: string, { call }: { call: CallPattern }, command: Command) => {
    refuseNoOptions(command, options);
    const made = changes.map(({ setting, option }) => [setting, command.getOptionValue(option.attributeName())]);
    return change(withChange, { action: 'sandbox.set', accountId: account }, ({ pool }) =>
      changeBehaviour(pool, { accountId: account, call, changes: Object.fromEntries(made) }),
    );
  });
}

export const sandboxCommands: AddCommands = (program, withDatabase, withChange) => {
  const sandbox = program.command('sandbox').description('how the sandbox bank behaves toward an account');
  setCommand(sandbox, withChange);
  sandbox
    .command('show <account>')
    .description('print what is set, by call; shares are from 0 to 1')
    .action((account: string) =>
      withDatabase(async ({ orm, pool }) => {
        await findAccount(orm, account);
        print({ account, behaviour: await readBehaviour(pool, account) });
      }),
    );
  sandbox
    .command('reset <account>')
    .description('make the bank quiet again')
    .action((account: string) =>
      change(withChange, { action: 'sandbox.reset', accountId: account }, ({ pool }) => resetBehaviour(pool, account)),
    );
};
