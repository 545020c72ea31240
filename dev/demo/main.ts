// Half a year of a shop in the sandbox of an account, beside a service that runs: npm run demo -- --key sk_sandbox_…
import { parseArgs } from 'node:util';
import { Fatura, FaturaError } from '@fatura/sdk';
import { liveThrough } from './life.ts';

const MONTHS_MAX = 24;
const SEED_MAX = 4_294_967_295;

const USAGE = `npm run demo -- --key sk_sandbox_… [--url http://127.0.0.1:3000] [--months 6] [--seed 1] [--reset]

  --key     the sandbox key that npm start printed, or FATURA_API_KEY; another: npm run --silent admin -- key --help
  --url     where the service is, or FATURA_BASE_URL
  --months  how long the shop lives, 1 to ${MONTHS_MAX}; its clock ends so far ahead
  --seed    the same number makes the same shop
  --reset   deletes all that the sandbox has first`;

/** What the person at the terminal is told, and nothing more. */
class Refusal extends Error {}

function wholeNumber(name: string, text: string, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= most) return value;
  throw new Refusal(`--${name} must be a whole number from 1 to ${most}, got ${text}`);
}

function keyOf(given: string | undefined): string {
  if (given === undefined) throw new Refusal(`A sandbox key is needed.\n\n${USAGE}`);
  if (given.startsWith('sk_sandbox_')) return given;
  throw new Refusal('--key must be a sandbox key, sk_sandbox_…: the demonstration makes up customers and money');
}

function read(args: string[], env: NodeJS.ProcessEnv) {
  const options = {
    key: { type: 'string' },
    url: { type: 'string' },
    months: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
    reset: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const;
  const { values } = parseArgs({ args, options });
  return {
    ...values,
    key: () => keyOf(values.key ?? env.FATURA_API_KEY),
    baseUrl: values.url ?? env.FATURA_BASE_URL ?? 'http://127.0.0.1:3000',
    months: wholeNumber('months', values.months, MONTHS_MAX),
    seed: wholeNumber('seed', values.seed, SEED_MAX),
  };
}

/** A shop is made up in an empty sandbox alone: nobody could tell it from what was there. */
async function refuseUnlessEmpty({ customers, products }: Fatura): Promise<void> {
  const pages = await Promise.all([customers.list({ limit: 1 }).page(), products.list({ limit: 1 }).page()]);
  if (pages.every(({ data }) => data.length === 0)) return;
  throw new Refusal('The sandbox of this key has customers or products. --reset deletes all that it has, then begins.');
}

async function main(): Promise<void> {
  const { help, key, baseUrl, months, seed, reset } = read(process.argv.slice(2), process.env);
  if (help) return console.log(USAGE);
  const fatura = new Fatura({ apiKey: key(), baseUrl });
  if (reset) await fatura.testClock.reset();
  else await refuseUnlessEmpty(fatura);
  const startedMs = performance.now();
  const told = await liveThrough({ fatura, months, seed, print: (line) => console.log(line) });
  for (const [what, count] of Object.entries(told)) console.log(`${what}: ${JSON.stringify(count)}`);
  const { now } = await fatura.testClock.retrieve();
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  console.log(
    `Lived through ${months} months in ${seconds} s. It is ${new Date(now * 1_000).toISOString()} there now.`,
  );
}

try {
  await main();
} catch (error) {
  const isTold =
    error instanceof Refusal ||
    error instanceof FaturaError ||
    (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
  console.error(isTold && error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
