import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { findAccount } from '../accounts/service.ts';
import type { Config } from '../config.ts';
import { createSecretBox, type SecretBox } from '../db/secret-box.ts';
import { encryptionKeyOf } from '../embedded/data-dir.ts';
import { realTimeMs } from '../kernel/time.ts';
import { profileNames } from '../payments/acquirer/api-pix/profiles.ts';
import { ApiPixSettings, problemsOf, showSettings } from '../payments/acquirer/api-pix/settings.ts';
import { noticeUrl } from '../payments/live/notice-url.ts';
import { type ProbeStep, probe } from '../payments/live/probe.ts';
import {
  openSettings,
  readLiveAcquirer,
  readLiveAcquirers,
  removeLiveAcquirer,
  setLiveAcquirer,
} from '../payments/live/store.ts';
import { print, type WithDatabase } from './command.ts';

const STDIN = '-';

/** The text of a file, or of standard input: a secret must not stand in a shell's history or a process list. */
function readSecret(path: string): string {
  try {
    return readFileSync(path === STDIN ? 0 : path, 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(`cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

const readLine = (path: string): string => readSecret(path).trim();

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

export const secretBoxOf = (config: Config): SecretBox =>
  createSecretBox(Buffer.from(encryptionKeyOf(config).key, 'base64'));

function settingsOf(options: SetOptions): ApiPixSettings {
  const parsed = ApiPixSettings.safeParse({
    profile: options.profile,
    clientId: options.clientId,
    clientSecret: options.clientSecretFile ?? null,
    certificate: options.certificate,
    key: options.key,
    pixKey: options.pixKey,
    baseUrl: options.baseUrl ?? null,
    tokenUrl: options.tokenUrl ?? null,
    ca: options.ca ?? null,
    callbackCa: options.callbackCa ?? null,
    extras: options.extra ?? {},
  });
  const problems = parsed.success
    ? problemsOf(parsed.data, new Date(realTimeMs()))
    : parsed.error.issues.map(
        ({ path, message }) =>
          `--${String(path[0]).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${message}`,
      );
  if (!parsed.success || problems.length > 0) throw new Error(problems.join('\n'));
  return parsed.data;
}

function setCommand(acquirer: Command, withDatabase: WithDatabase): void {
  acquirer
    .command('set <account>')
    .description('configure the acquirer of an account; what was configured before is replaced as a whole')
    .addOption(live())
    .addOption(new Option('--profile <name>', 'the PSP').choices(profileNames).makeOptionMandatory())
    .requiredOption('--client-id <id>', 'OAuth2 client id')
    .option('--client-secret-file <path>', 'file with the OAuth2 client secret, - for standard input', readLine)
    .requiredOption('--certificate <path>', 'file with the client certificate, PEM, - for standard input', readSecret)
    .requiredOption(
      '--key <path>',
      'file with its private key, PEM without a passphrase, - for standard input',
      readSecret,
    )
    .requiredOption('--pix-key <key>', 'the Pix key (chave) that is paid to')
    .option('--base-url <url>', 'where the API is, with its version, if not where the profile has it')
    .option('--token-url <url>', 'where tokens are, if not where the profile has it')
    .option('--ca <path>', 'file with the authority of the PSP’s own certificate, PEM, if no public one', readSecret)
    .option(
      '--callback-ca <path>',
      'file with the authority of the certificate that callbacks must show, PEM',
      readSecret,
    )
    .option('--extra <name=value>', 'a setting that the profile needs; may be repeated', addExtra)
    .action((accountId: string, options: SetOptions) => {
      const settings = settingsOf(options);
      return withDatabase(async (database, config) => {
        await findAccount(database.orm, accountId);
        const certificateEndsAt = new X509Certificate(settings.certificate).validToDate;
        const row = { accountId, method: 'pix', profile: settings.profile, settings, certificateEndsAt } as const;
        await setLiveAcquirer(database.pool, secretBoxOf(config), row);
        print({ account: accountId, live: 'pix', ...showSettings(settings) });
      });
    });
}

async function findSettings(
  withDatabase: WithDatabase,
  accountId: string,
  work: (found: { settings: ApiPixSettings; token: string; config: Config }) => Promise<void>,
): Promise<void> {
  await withDatabase(async ({ pool, orm }, config) => {
    await findAccount(orm, accountId);
    const row = await readLiveAcquirer(pool, { accountId, method: 'pix' });
    if (row === null)
      throw new Error(`${accountId} has no live acquirer for pix: configure one with \`admin acquirer set\``);
    const { settings, noticeToken } = openSettings(secretBoxOf(config), row);
    await work({ settings: ApiPixSettings.parse(settings), token: noticeToken, config });
  });
}

const describeStep = ({ step, ok, detail }: ProbeStep) => ({ step, ok, ...(detail === null ? {} : { detail }) });

export function acquirerCommands(program: Command, withDatabase: WithDatabase): void {
  const acquirer = program.command('acquirer').description('who moves the live money of an account');
  setCommand(acquirer, withDatabase);
  acquirer
    .command('test <account>')
    .description(
      'ask the acquirer for a token, make and remove a charge of one cent, register the address of callbacks; one step a line',
    )
    .addOption(live())
    .option('--public-url <url>', 'the base of the address to register, if not PUBLIC_URL')
    .action((accountId: string, { publicUrl }: { publicUrl?: string }) =>
      findSettings(withDatabase, accountId, async ({ settings, token, config }) => {
        let isSound = true;
        for await (const step of probe(accountId, {
          settings,
          noticeUrl: noticeUrl(publicUrl ?? config.publicUrl, token),
        })) {
          print(describeStep(step));
          isSound &&= step.ok;
        }
        if (!isSound) process.exitCode = 1;
      }),
    );
  acquirer
    .command('show <account>')
    .description('say what is configured, without secrets')
    .addOption(live())
    .action((accountId: string) =>
      findSettings(withDatabase, accountId, async ({ settings, token, config }) =>
        print({
          account: accountId,
          live: 'pix',
          ...showSettings(settings),
          notice_url: noticeUrl(config.publicUrl, token),
        }),
      ),
    );
  acquirer
    .command('list')
    .description('list the accounts that have a live acquirer, one a line')
    .action(() =>
      withDatabase(async ({ pool }, config) => {
        const box = secretBoxOf(config);
        for (const row of await readLiveAcquirers(pool))
          print({
            account: row.accountId,
            live: row.method,
            ...showSettings(ApiPixSettings.parse(openSettings(box, row).settings)),
          });
      }),
    );
  acquirer
    .command('remove <account>')
    .description('forget the acquirer: nothing is charged, and what came in is not asked about any more')
    .addOption(live())
    .action((accountId: string) =>
      withDatabase(async ({ pool }) => {
        if (!(await removeLiveAcquirer(pool, { accountId, method: 'pix' })))
          throw new Error(`${accountId} has no live acquirer for pix`);
        print({ account: accountId, live: 'pix', removed: true });
      }),
    );
}
