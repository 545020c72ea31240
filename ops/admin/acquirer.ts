import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { findAccount, lockSettings } from '../../server/accounts/service.ts';
import type { Config } from '../../server/config.ts';
import { readPublicUrl } from '../../server/config-formats.ts';
import { realTimeMs } from '../../server/kernel/time.ts';
import { chargesPerSecond } from '../../server/payments/acquirer/charges-per-second.ts';
import type { Method } from '../../server/payments/acquirer/port.ts';
import { changeAcquirer, changeRate, ofAcquirer, settingsNow } from '../../server/payments/live/change.ts';
import type {
  LiveMethod,
  LiveSettings,
  OfMethod,
  ProbeStep,
  SettingOption,
} from '../../server/payments/live/method.ts';
import { liveMethod, liveMethods, methods } from '../../server/payments/live/methods.ts';
import { noticeUrl } from '../../server/payments/live/notice-url.ts';
import { probe } from '../../server/payments/live/probe.ts';
import { rateOption } from '../../server/payments/live/rate-option.ts';
import { SettingsInvalid } from '../../server/payments/live/rules.ts';
import {
  forgetFormer,
  openSettings,
  readLiveAcquirer,
  readLiveAcquirers,
  removeLiveAcquirer,
} from '../../server/payments/live/store.ts';
import { type AddCommands, print, provenBox, readingBox, type WithChange, type WithDatabase } from './command.ts';

const STDIN = '-';

interface OfLive {
  readonly live: Method;
}

/** The options of every method: an operator who asks for help has not named one yet. */
const settingOptions = (): readonly SettingOption[] => [
  ...new Set(methods.flatMap((method) => liveMethods[method]?.options ?? [])),
];

function optionOf({ flags, description, choices, isMap, isNumber }: SettingOption): Option {
  const option = new Option(flags, description);
  if (choices !== undefined) option.choices(choices);
  if (isNumber === true) option.argParser(Number);
  return isMap === true ? option.argParser(addToMap) : option;
}

function addToMap(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([a-z_]{1,40})=(.{1,500})$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('must be name=value');
  return { ...before, [name]: value };
}

const liveOption = () =>
  new Option('--live <method>', 'the payment method whose live money it moves')
    .choices(methods.filter((method) => liveMethods[method] !== null))
    .makeOptionMandatory();

/** Undefined: it was not given. */
const givenBy = (set: Command, { flags }: SettingOption): unknown =>
  set.getOptionValue(new Option(flags).attributeName());

/** Ends the command where its options are not those of the method. */
function refuseUnfit(set: Command, { options }: LiveMethod): void {
  for (const option of settingOptions()) {
    const { flags, isRequired } = option;
    const isGiven = givenBy(set, option) !== undefined;
    const isOwn = options.includes(option);
    if (isGiven && !isOwn) set.error(`error: option '${flags}' is of another method`);
    if (!isGiven && isOwn && isRequired === true) set.error(`error: required option '${flags}' not specified`);
  }
}

/** What the options give, by the names of the settings: of files, or of standard input for one of them, their text. */
function readGiven(set: Command, { options }: LiveMethod): Record<string, unknown> {
  const given = options.flatMap((option) => {
    const { name, flags, isFile } = option;
    const value = givenBy(set, option);
    return value === undefined
      ? []
      : [{ name, long: new Option(flags).long, value, path: isFile === true ? String(value) : null }];
  });
  const ofStdin = given.filter(({ path }) => path === STDIN).map(({ long }) => long);
  if (ofStdin.length > 1) throw new Error(`${ofStdin.join(' and ')} cannot all come by standard input`);
  const settings: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const { name, long, value, path } of given) {
    try {
      settings[name] = path === null ? value : readFileSync(path === STDIN ? 0 : path, 'utf8').trim();
    } catch (error) {
      problems.push(`${long} cannot be read: ${error instanceof Error ? error.message : error}`);
    }
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return settings;
}

/** Each problem of a setting is told by its option. */
function settingsGiven(set: Command, live: LiveMethod): LiveSettings {
  try {
    return live.settingsOf(readGiven(set, live), new Date(realTimeMs()));
  } catch (error) {
    if (!(error instanceof SettingsInvalid)) throw error;
    const flagOf = (name: string) => live.options.find((option) => option.name === name)?.flags.split(' ')[0] ?? name;
    throw new Error(error.problems.map(({ name, message }) => `${flagOf(name)} ${message}`).join('\n'));
  }
}

function setCommand(acquirer: Command, withChange: WithChange): void {
  const set = acquirer
    .command('set <account>')
    .description('configure the acquirer of an account; what was configured before is replaced as a whole')
    .addOption(liveOption());
  for (const option of settingOptions()) set.addOption(optionOf(option));
  set.action(async (accountId: string, { live: method }: OfLive) => {
    const live = liveMethod(method);
    refuseUnfit(set, live);
    const settings = settingsGiven(set, live);
    await withChange(async (tx, config) =>
      changeAcquirer(tx, await provenBox(tx.pool, config), { accountId, method, settings }),
    );
    print(shownOf({ accountId, method }, settings));
  });
}

function readRate(text: string): number {
  const { data, error } = chargesPerSecond.safeParse(Number(text));
  if (data === undefined) throw new InvalidArgumentError(error.issues[0]?.message ?? 'is no rate');
  return data;
}

interface OfRate extends OfLive {
  readonly chargesPerSecond: number;
}

function setRateCommand(acquirer: Command, withChange: WithChange): void {
  acquirer
    .command('set-rate <account>')
    .description('change how often a second runs may ask the acquirer, and nothing else of it')
    .addOption(liveOption())
    .requiredOption(rateOption.flags, rateOption.description, readRate)
    .action(async (accountId: string, { live: method, chargesPerSecond: perSecond }: OfRate) => {
      const of = { accountId, method };
      const settings = await withChange(async (tx, config) =>
        changeRate(tx, await provenBox(tx.pool, config), { ...of, chargesPerSecond: perSecond }),
      );
      if (settings === null) throw new Error(`${accountId} has no live acquirer for ${method}`);
      print(shownOf(of, settings));
    });
}

const shownOf = ({ accountId, method }: OfMethod, settings: LiveSettings) => ({
  account: accountId,
  live: method,
  ...liveMethod(method).show(settings),
});

async function findSettings(
  withDatabase: WithDatabase,
  of: OfMethod,
  work: (found: { settings: LiveSettings; token: string; config: Config }) => Promise<void>,
): Promise<void> {
  await withDatabase(async (database, config) => {
    await findAccount(database.orm, of.accountId);
    const row = await readLiveAcquirer(database.pool, of);
    if (row === null)
      throw new Error(
        `${of.accountId} has no live acquirer for ${of.method}: configure one with \`admin acquirer set\``,
      );
    const { settings, noticeToken } = openSettings(await readingBox(database, config), row);
    await work({ settings, token: noticeToken, config });
  });
}

const describeStep = ({ step, ok, detail }: ProbeStep) => ({ step, ok, ...(detail === null ? {} : { detail }) });

/** As PUBLIC_URL may be: of anything else the log could not say to which host the secret path went. */
function readBase(text: string): string {
  const url = readPublicUrl(text);
  if (url !== null) return url;
  throw new InvalidArgumentError('must be an http:// or https:// URL without query, fragment or password');
}

function testCommand(acquirer: Command, withDatabase: WithDatabase, withChange: WithChange): void {
  acquirer
    .command('test <account>')
    .description(
      'ask the acquirer for a token, make and remove a charge of one cent, register the address of callbacks; one step a line',
    )
    .addOption(liveOption())
    .option('--public-url <url>', 'the base of the address to register, if not PUBLIC_URL', readBase)
    .action((accountId: string, { live: method, ...options }: OfLive & { publicUrl?: string }) => {
      const of = { accountId, method };
      return findSettings(withDatabase, of, async ({ settings, token, config }) => {
        const { publicUrl = config.publicUrl } = options;
        // First: what the PSP is told is not taken back where the entry cannot be written.
        const asked = { before: null, after: { public_url: publicUrl } };
        await withChange((tx) => tx.log({ ...ofAcquirer('acquirer.tested', of), ...asked }));
        let isSound = true;
        for await (const step of probe(of, { settings, publicUrl, token })) {
          print(describeStep(step));
          isSound &&= step.ok;
        }
        if (!isSound) process.exitCode = 1;
      });
    });
}

function showCommand(acquirer: Command, withDatabase: WithDatabase, withChange: WithChange): void {
  acquirer
    .command('show <account>')
    .description('say what is configured, without secrets')
    .addOption(liveOption())
    .option(
      '--callback-url',
      'say also where callbacks come to, for a PSP that takes the address by hand; keep it to the PSP and yourself',
    )
    .action((accountId: string, { live: method, callbackUrl }: OfLive & { callbackUrl?: true }) => {
      const of = { accountId, method };
      return findSettings(withDatabase, of, async ({ settings, token, config }) => {
        const shown = shownOf(of, settings);
        if (callbackUrl === undefined) return print(shown);
        const asked = { before: null, after: null };
        await withChange((tx) => tx.log({ ...ofAcquirer('acquirer.callback_url_shown', of), ...asked }));
        print({ ...shown, callback_url: noticeUrl(config.publicUrl, token) });
      });
    });
}

export const acquirerCommands: AddCommands = (program, withDatabase, withChange) => {
  const acquirer = program.command('acquirer').description('who moves the live money of an account');
  setCommand(acquirer, withChange);
  setRateCommand(acquirer, withChange);
  testCommand(acquirer, withDatabase, withChange);
  showCommand(acquirer, withDatabase, withChange);
  acquirer
    .command('list')
    .description('list the accounts that have a live acquirer, one a line')
    .action(() =>
      withDatabase(async (database, config) => {
        const box = await readingBox(database, config);
        for (const row of await readLiveAcquirers(database.pool)) print(shownOf(row, openSettings(box, row).settings));
      }),
    );
  forgettingCommands(acquirer, withChange);
};

function forgettingCommands(acquirer: Command, withChange: WithChange): void {
  acquirer
    .command('remove <account>')
    .description('forget the acquirer: nothing is charged, and what came in is not asked about any more')
    .addOption(liveOption())
    .action(async (accountId: string, { live: method }: OfLive) => {
      const of = { accountId, method };
      await withChange(async (tx, config) => {
        await lockSettings(tx, accountId);
        const before = await settingsNow(tx.pool, await provenBox(tx.pool, config), of);
        if (before === null || !(await removeLiveAcquirer(tx.pool, of)))
          throw new Error(`${accountId} has no live acquirer for ${method}`);
        const removed = { before: { ...liveMethod(method).show(before) }, after: null };
        await tx.log({ ...ofAcquirer('acquirer.removed', of), ...removed });
      });
      print({ account: accountId, live: method, removed: true });
    });
  acquirer
    .command('forget-former <account>')
    .description(
      'ask those that the account had before no more: what is still paid or to be returned there is not seen',
    )
    .addOption(liveOption())
    .action(async (accountId: string, { live: method }: OfLive) => {
      const of = { accountId, method };
      const forgotten = await withChange(async (tx, config) => {
        await lockSettings(tx, accountId);
        const count = await forgetFormer(tx.pool, await provenBox(tx.pool, config), of);
        const counted = { before: { former: count }, after: { former: 0 } };
        await tx.log({ ...ofAcquirer('acquirer.former_forgotten', of), ...counted });
        return count;
      });
      print({ account: accountId, live: method, forgotten });
    });
}
