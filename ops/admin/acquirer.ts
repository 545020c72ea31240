import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { findAccount, lockSettings } from '../../server/accounts/service.ts';
import type { Config } from '../../server/config.ts';
import { readPublicUrl } from '../../server/config-formats.ts';
import type { AuditAction, LoggedChange, LoggedTx } from '../../server/db/audit-log.ts';
import type { SecretBox } from '../../server/db/secret-box.ts';
import { realTimeMs } from '../../server/kernel/time.ts';
import { profileNames } from '../../server/payments/acquirer/api-pix/profiles.ts';
import {
  type ApiPixSettings,
  changedSettings,
  problemsOf,
  showSettings,
} from '../../server/payments/acquirer/api-pix/settings.ts';
import { noticeUrl } from '../../server/payments/live/notice-url.ts';
import { type ProbeStep, probe } from '../../server/payments/live/probe.ts';
import {
  forgetFormer,
  openSettings,
  readLiveAcquirer,
  readLiveAcquirers,
  removeLiveAcquirer,
  setLiveAcquirer,
} from '../../server/payments/live/store.ts';
import { type AddCommands, print, provenBox, readingBox, type WithChange, type WithDatabase } from './command.ts';

const STDIN = '-';

/** What files hold, by the setting that it becomes; a secret must not stand in a shell's history or a process list. */
const FILES = {
  clientSecret: { option: '--client-secret-file', of: 'clientSecretFile' },
  certificate: { option: '--certificate', of: 'certificate' },
  key: { option: '--key', of: 'key' },
  ca: { option: '--ca', of: 'ca' },
  callbackCa: { option: '--callback-ca', of: 'callbackCa' },
} as const;

type FileName = keyof typeof FILES;

// The keys of a literal are exactly its declared keys; Object.keys forgets that.
const fileNames = Object.keys(FILES) as FileName[];

/** Reads the files of the options, or standard input for one of them; says of each why it cannot be read. */
function readFiles(options: SetOptions): { texts: Partial<Record<FileName, string>>; problems: string[] } {
  const texts: Partial<Record<FileName, string>> = {};
  const problems: string[] = [];
  const ofStdin = fileNames.filter((name) => options[FILES[name].of] === STDIN).map((name) => FILES[name].option);
  if (ofStdin.length > 1) return { texts, problems: [`${ofStdin.join(' and ')} cannot all come by standard input`] };
  for (const name of fileNames) {
    const { option, of } = FILES[name];
    const path = options[of];
    if (path === undefined) continue;
    try {
      texts[name] = readFileSync(path === STDIN ? 0 : path, 'utf8').trim();
    } catch (error) {
      problems.push(`${option} cannot be read: ${error instanceof Error ? error.message : error}`);
    }
  }
  return { texts, problems };
}

function addExtra(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([a-z_]{1,40})=(.{1,500})$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('must be name=value');
  return { ...before, [name]: value };
}

interface SetOptions {
  readonly profile: ApiPixSettings['profile'];
  readonly clientId: string;
  readonly clientSecretFile?: string;
  readonly certificate: string;
  readonly key: string;
  readonly pixKey: string;
  readonly baseUrl?: string;
  readonly tokenUrl?: string;
  readonly ca?: string;
  readonly callbackCa?: string;
  readonly extra?: Record<string, string>;
}

const live = () =>
  new Option('--live <method>', 'the payment method whose live money it moves').choices(['pix']).makeOptionMandatory();

/** The settings that the options give; all that is wrong with them in one message. */
function settingsOf(options: SetOptions): ApiPixSettings {
  const { texts, problems: ofFiles } = readFiles(options);
  if (ofFiles.length > 0) throw new Error(ofFiles.join('\n'));
  const { clientSecret = null, certificate = '', key = '', ca = null, callbackCa = null } = texts;
  const { profile, clientId, pixKey, baseUrl = null, tokenUrl = null, extra: extras = {} } = options;
  const files = { clientSecret, certificate, key, ca, callbackCa };
  const settings = { profile, clientId, pixKey, baseUrl, tokenUrl, extras, ...files };
  const problems = problemsOf(settings, new Date(realTimeMs()));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return settings;
}

function setCommand(acquirer: Command, withChange: WithChange): void {
  acquirer
    .command('set <account>')
    .description('configure the acquirer of an account; what was configured before is replaced as a whole')
    .addOption(live())
    .addOption(new Option('--profile <name>', 'the PSP').choices(profileNames).makeOptionMandatory())
    .requiredOption('--client-id <id>', 'OAuth2 client id')
    .option('--client-secret-file <path>', 'file with the OAuth2 client secret, - for standard input')
    .requiredOption('--certificate <path>', 'file with the client certificate, PEM, - for standard input')
    .requiredOption('--key <path>', 'file with its private key, PEM without a passphrase, - for standard input')
    .requiredOption('--pix-key <key>', 'the Pix key (chave) that is paid to')
    .option('--base-url <url>', 'where the API is, with its version, if not where the profile has it')
    .option('--token-url <url>', 'where tokens are, if not where the profile has it')
    .option('--ca <path>', 'file with the authority of the PSP’s own certificate, PEM, if no public one')
    .option('--callback-ca <path>', 'file with the authority of the certificate that callbacks must show, PEM')
    .option('--extra <name=value>', 'a setting that the profile needs; may be repeated', addExtra)
    .action(async (accountId: string, options: SetOptions) => {
      const settings = settingsOf(options);
      await withChange(async (tx, config) => {
        const box = await provenBox(tx.pool, config);
        await lockSettings(tx, accountId);
        const before = await settingsNow(tx, box, accountId);
        const certificateEndsAt = new X509Certificate(settings.certificate).validToDate;
        const row = { accountId, method: 'pix', profile: settings.profile, settings, certificateEndsAt } as const;
        await setLiveAcquirer(tx.pool, box, row);
        await tx.log({ ...ofAcquirer('acquirer.set', accountId), ...replacement(before, settings) });
      });
      print({ account: accountId, live: 'pix', ...showSettings(settings) });
    });
}

const ofAcquirer = (action: AuditAction, account: string) => ({ action, account, liveMode: true, object: 'pix' });

/** Null: nothing is configured. */
async function settingsNow({ pool }: LoggedTx, box: SecretBox, accountId: string): Promise<ApiPixSettings | null> {
  const row = await readLiveAcquirer(pool, { accountId, method: 'pix' });
  return row === null ? null : openSettings(box, row).settings;
}

/** A former secret and a new one look alike in the log, so it says by name what is another. */
const replacement = (before: ApiPixSettings | null, after: ApiPixSettings): Pick<LoggedChange, 'before' | 'after'> =>
  before === null
    ? { before, after: { ...showSettings(after) } }
    : {
        before: { ...showSettings(before) },
        after: { ...showSettings(after), changed: changedSettings(before, after) },
      };

async function findSettings(
  withDatabase: WithDatabase,
  accountId: string,
  work: (found: { settings: ApiPixSettings; token: string; config: Config }) => Promise<void>,
): Promise<void> {
  await withDatabase(async (database, config) => {
    await findAccount(database.orm, accountId);
    const row = await readLiveAcquirer(database.pool, { accountId, method: 'pix' });
    if (row === null)
      throw new Error(`${accountId} has no live acquirer for pix: configure one with \`admin acquirer set\``);
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
    .addOption(live())
    .option('--public-url <url>', 'the base of the address to register, if not PUBLIC_URL', readBase)
    .action((accountId: string, options: { publicUrl?: string }) =>
      findSettings(withDatabase, accountId, async ({ settings, token, config }) => {
        const { publicUrl = config.publicUrl } = options;
        // First: what the PSP is told is not taken back where the entry cannot be written.
        const asked = { before: null, after: { public_url: publicUrl } };
        await withChange((tx) => tx.log({ ...ofAcquirer('acquirer.tested', accountId), ...asked }));
        let isSound = true;
        for await (const step of probe(accountId, { settings, publicUrl, token })) {
          print(describeStep(step));
          isSound &&= step.ok;
        }
        if (!isSound) process.exitCode = 1;
      }),
    );
}

function showCommand(acquirer: Command, withDatabase: WithDatabase, withChange: WithChange): void {
  acquirer
    .command('show <account>')
    .description('say what is configured, without secrets')
    .addOption(live())
    .option(
      '--callback-url',
      'say also where callbacks come to, for a PSP that takes the address by hand; keep it to the PSP and yourself',
    )
    .action((accountId: string, { callbackUrl }: { callbackUrl?: true }) =>
      findSettings(withDatabase, accountId, async ({ settings, token, config }) => {
        const shown = { account: accountId, live: 'pix', ...showSettings(settings) };
        if (callbackUrl === undefined) return print(shown);
        const asked = { before: null, after: null };
        await withChange((tx) => tx.log({ ...ofAcquirer('acquirer.callback_url_shown', accountId), ...asked }));
        print({ ...shown, callback_url: noticeUrl(config.publicUrl, token) });
      }),
    );
}

export const acquirerCommands: AddCommands = (program, withDatabase, withChange) => {
  const acquirer = program.command('acquirer').description('who moves the live money of an account');
  setCommand(acquirer, withChange);
  testCommand(acquirer, withDatabase, withChange);
  showCommand(acquirer, withDatabase, withChange);
  acquirer
    .command('list')
    .description('list the accounts that have a live acquirer, one a line')
    .action(() =>
      withDatabase(async (database, config) => {
        const box = await readingBox(database, config);
        for (const row of await readLiveAcquirers(database.pool))
          print({
            account: row.accountId,
            live: row.method,
            ...showSettings(openSettings(box, row).settings),
          });
      }),
    );
  forgettingCommands(acquirer, withChange);
};

function forgettingCommands(acquirer: Command, withChange: WithChange): void {
  acquirer
    .command('remove <account>')
    .description('forget the acquirer: nothing is charged, and what came in is not asked about any more')
    .addOption(live())
    .action(async (accountId: string) => {
      await withChange(async (tx, config) => {
        await lockSettings(tx, accountId);
        const before = await settingsNow(tx, await provenBox(tx.pool, config), accountId);
        if (before === null || !(await removeLiveAcquirer(tx.pool, { accountId, method: 'pix' })))
          throw new Error(`${accountId} has no live acquirer for pix`);
        const removed = { before: { ...showSettings(before) }, after: null };
        await tx.log({ ...ofAcquirer('acquirer.removed', accountId), ...removed });
      });
      print({ account: accountId, live: 'pix', removed: true });
    });
  acquirer
    .command('forget-former <account>')
    .description(
      'ask those that the account had before no more: what is still paid or to be returned there is not seen',
    )
    .addOption(live())
    .action(async (accountId: string) => {
      const forgotten = await withChange(async (tx, config) => {
        await lockSettings(tx, accountId);
        const count = await forgetFormer(tx.pool, await provenBox(tx.pool, config), { accountId, method: 'pix' });
        const counted = { before: { former: count }, after: { former: 0 } };
        await tx.log({ ...ofAcquirer('acquirer.former_forgotten', accountId), ...counted });
        return count;
      });
      print({ account: accountId, live: 'pix', forgotten });
    });
}
