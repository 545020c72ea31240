import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Command, type Context, givenOf, serviceOptions } from './command.ts';
import { forget, keep, type Login, loginFile } from './config.ts';
import { CliFailure, UsageFailure } from './failure.ts';
import { baseUrlOf, clientOf } from './session.ts';

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Asks at the terminal; what is typed is shown nowhere. */
async function askForKey({ ended }: Context): Promise<string> {
  process.stderr.write('API key (it is not shown): ');
  const asking = createInterface({ input: process.stdin, output: nowhere(), terminal: true });
  const given = new AbortController();
  asking.once('SIGINT', () => given.abort());
  try {
    return await asking.question('', { signal: AbortSignal.any([ended, given.signal]) });
  } catch {
    throw new CliFailure('Nothing was kept.');
  } finally {
    asking.close();
    process.stderr.write('\n');
  }
}

async function readKey(context: Context): Promise<string> {
  const from = givenOf(context, 'api-key');
  if (from !== undefined && from !== '-') {
    throw new UsageFailure('--api-key takes - alone, for the standard input: others see what stands on a command line');
  }
  const key = from === '-' || !process.stdin.isTTY ? await text(process.stdin) : await askForKey(context);
  if (key.trim() === '') throw new CliFailure('No API key was given; nothing was kept.');
  return key.trim();
}

export const login: Command = {
  name: 'login',
  operands: '',
  operandsMin: 0,
  operandsMax: 0,
  summary: 'Keep an API key for the commands of this user',
  details: 'Asks for the key, tries it, and keeps it where this user alone can read it. FATURA_API_KEY wins over it.',
  options: {
    ...serviceOptions,
    'api-key': { type: 'string', value: '-', help: 'Read the key from the standard input.' },
  },
  async run(context) {
    const apiKey = await readKey(context);
    const baseUrl = baseUrlOf(context, null);
    const account = await clientOf({ apiKey, baseUrl }).account.retrieve({ signal: context.ended });
    const path = loginFile(context.env);
    const kept: Login = { api_key: apiKey, base_url: baseUrl };
    await keep(path, kept);
    const mode = account.live_mode ? 'live' : 'sandbox';
    context.say(`Logged in to ${account.name} (${account.id}, ${mode}) at ${baseUrl}. The key is kept in ${path}.`);
  },
};

export const logout: Command = {
  name: 'logout',
  operands: '',
  operandsMin: 0,
  operandsMax: 0,
  summary: 'Forget the API key',
  options: {},
  async run(context) {
    await forget(loginFile(context.env));
    context.say('The key is forgotten.');
  },
};
