import { mkdir, readdir, readFile } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { type Command, type Context, givenOf, serviceOptions } from './command.ts';
import { CliFailure, textOf, UsageFailure } from './failure.ts';
import { signingSecret } from './listener.ts';
import { knownKey, openSession } from './session.ts';
import { type Framework, frameworks, MANIFEST, writeStarter } from './starter.ts';
import { sdkSpec, TARBALL } from './starter-sdk.ts';

const PORT = 4242;
const NAMED_MAX = 5;

const isFramework = (text: string): text is Framework => Object.hasOwn(frameworks, text);
const choices = Object.keys(frameworks).join(', ');

/** Asks at a terminal until the answer is one of those offered; an empty one gives up. */
export async function askFramework(input: Readable, output: Writable, ended: AbortSignal): Promise<Framework> {
  const asking = createInterface({ input, output });
  try {
    for (;;) {
      const answer = (await asking.question(`Framework (${choices}): `, { signal: ended })).trim().toLowerCase();
      if (isFramework(answer)) return answer;
      if (answer === '') throw new UsageFailure(`--framework must be one of ${choices}`);
    }
  } finally {
    asking.close();
  }
}

async function frameworkOf(context: Context): Promise<Framework> {
  const given = givenOf(context, 'framework');
  if (given !== undefined) {
    if (isFramework(given)) return given;
    throw new UsageFailure(`--framework must be one of ${choices}, got ${given}`);
  }
  if (!process.stdin.isTTY) throw new UsageFailure(`give --framework: one of ${choices}`);
  return askFramework(process.stdin, process.stderr, context.ended);
}

function portOf(context: Context): number {
  const given = givenOf(context, 'port');
  const port = given === undefined ? PORT : Number(given);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new UsageFailure(`--port must be a whole number from 1 to 65535, got ${given}`);
}

/** What npm leaves behind where this package was installed or asked for. */
const LEFT_BY_NPM = ['.git', 'node_modules', 'package-lock.json'];

/** A manifest that `npm install` made: it names this package and says nothing else. */
async function isLeftByNpm(manifest: string): Promise<boolean> {
  const { dependencies, ...others }: { dependencies?: object } = JSON.parse(await readFile(manifest, 'utf8'));
  return Object.keys(others).length === 0 && Object.keys(dependencies ?? {}).every((name) => name === '@fatura/sdk');
}

/** What lies there from getting this program does not count: its tarball, what npm left, and an empty repository. */
async function refuseFilesIn(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const files: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    if (LEFT_BY_NPM.includes(name) || TARBALL.test(name)) continue;
    const isLeft = name === MANIFEST && (await isLeftByNpm(join(folder, name)).catch(() => false));
    if (!isLeft) files.push(name);
  }
  if (files.length === 0) return;
  const named = files.slice(0, NAMED_MAX).join(', ');
  const more = files.length > NAMED_MAX ? ` and ${files.length - NAMED_MAX} more` : '';
  throw new CliFailure(`${folder} is not empty: it has ${named}${more}. Give another folder with --dir.`);
}

interface ShopSettings {
  readonly FATURA_API_KEY: string;
  readonly FATURA_BASE_URL: string;
  readonly WEBHOOK_SECRET: string;
  readonly PORT: string;
}

/** The secret that `fatura listen` will sign with, known ahead; '' where the service does not answer. */
async function secretOf(context: Context): Promise<string> {
  const { fatura, baseUrl } = await openSession(context, { sandboxFor: 'init', retries: 0 });
  try {
    const { id: account } = await fatura.account.retrieve({ signal: context.ended, timeoutMs: 10_000 });
    return await signingSecret(context.env, { account, base_url: baseUrl });
  } catch (error) {
    context.tell(`The signing secret is not known yet: ${textOf(error)}`);
    return '';
  }
}

async function settingsOf(context: Context, port: number): Promise<ShopSettings> {
  const { apiKey, baseUrl } = await knownKey(context);
  const known = apiKey === undefined ? '' : apiKey;
  if (known === '') context.tell('No API key is known: put one of your sandbox into .env as FATURA_API_KEY.');
  const secret = known === '' ? '' : await secretOf(context);
  return { FATURA_API_KEY: known, FATURA_BASE_URL: baseUrl, WEBHOOK_SECRET: secret, PORT: String(port) };
}

/** How the user gets into the folder from where they are. */
function stepInto(folder: string): string[] {
  const path = relative(process.cwd(), folder);
  if (path === '') return [];
  return [`cd ${path.startsWith('..') || isAbsolute(path) ? folder : path}`];
}

function nextSteps(folder: string, port: number): string {
  const steps = [
    ...stepInto(folder),
    'npm install',
    `npm run dev      # the shop: http://localhost:${port}`,
    `npm run listen   # in a second terminal; npx fatura listen --forward-to localhost:${port}/webhooks`,
    'npm run trigger  # or buy on the page; npx fatura trigger invoice.paid',
  ];
  return `Next:\n${steps.map((step) => `  ${step}`).join('\n')}`;
}

export const init: Command = {
  name: 'init',
  operands: '',
  operandsMin: 0,
  operandsMax: 0,
  summary: 'Write a small shop in TypeScript into an empty folder',
  details: `The shop sells by PIX, shows the code, and handles signed events. A sandbox key of FATURA_API_KEY or of the login is written to
its .env, which git ignores, and so is the secret that \`fatura listen\` signs with.`,
  options: {
    ...serviceOptions,
    framework: { type: 'string', value: 'name', help: `One of ${choices}; asked for where there is a terminal.` },
    dir: { type: 'string', value: 'folder', help: 'Where to, default here; made where there is none.' },
    port: { type: 'string', value: 'n', help: `Where the shop listens, default ${PORT}.` },
    sdk: {
      type: 'string',
      value: 'path or version',
      help: 'What to install as @fatura/sdk; default where this program comes from.',
    },
  },
  async run(context) {
    const port = portOf(context);
    const folder = resolve(givenOf(context, 'dir') ?? '.');
    await refuseFilesIn(folder);
    const framework = await frameworkOf(context);
    const sdk = await sdkSpec(givenOf(context, 'sdk'), folder);
    const settings = await settingsOf(context, port);
    const files = await writeStarter({ framework, folder, port, sdk, settings: { ...settings } });
    context.say(`Wrote a shop on ${frameworks[framework].title} to ${folder}: ${files.join(', ')}.`);
    context.say(nextSteps(folder, port));
  },
};
