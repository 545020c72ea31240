// Sends the service what its document allows and what it forbids: npm run fuzz -- [--examples 200] [--seed N] [--minutes 60] [-- more of schemathesis]
// Or judges hostile values by its schemas, in this process: npm run fuzz -- --schemas 120000 [--seed N]
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { Command, InvalidArgumentError } from 'commander';
import { fuzzSchemas } from './schemas.ts';

const EXAMPLES_DEFAULT = 100;
const EXAMPLES_MAX = 100_000;
const INPUTS_MAX = 10_000_000;
const MINUTES_DEFAULT = 60;
const MINUTES_MAX = 24 * 60;
const SEED_MAX = 2 ** 31 - 1;

const wholeNumber = (most: number) => (text: string) => {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new InvalidArgumentError(`must be a whole number from 1 to ${most}`);
};

interface Options {
  readonly examples: number;
  readonly seed?: number;
  readonly minutes: number;
  /** So many inputs are drawn for the schemas instead. */
  readonly schemas?: number;
}

function fuzz(more: string[], { examples, minutes, seed = randomInt(1, SEED_MAX), schemas }: Options): void {
  if (schemas !== undefined) {
    console.log(`To repeat: npm run fuzz -- --schemas ${schemas} --seed ${seed}`);
    process.exitCode = fuzzSchemas({ inputs: schemas, seed }) ? 0 : 1;
    return;
  }
  console.log(`To repeat: npm run fuzz -- --examples ${examples} --seed ${seed}`);
  const vitest = spawn('vitest', ['run', '--project', 'workflows', 'test/fuzz'], {
    stdio: 'inherit',
    env: {
      ...process.env,
      FUZZ_EXAMPLES: String(examples),
      FUZZ_SEED: String(seed),
      FUZZ_MINUTES: String(minutes),
      FUZZ_MORE: JSON.stringify(more),
    },
  });
  vitest.once('close', (code) => process.exit(code ?? 1));
}

new Command('npm run fuzz --')
  .description(
    'Sends the service what its OpenAPI document allows and what it forbids, and holds each answer to the document.',
  )
  .argument('[more...]', 'more arguments for schemathesis, behind another --')
  .option('--examples <n>', 'requests drawn for each operation', wholeNumber(EXAMPLES_MAX), EXAMPLES_DEFAULT)
  .option('--seed <n>', 'where to draw them from; another each time if absent', wholeNumber(SEED_MAX))
  .option(
    '--schemas <n>',
    'draws so many inputs for the schemas of requests instead, and times them',
    wholeNumber(INPUTS_MAX),
  )
  .option('--minutes <n>', 'after which the run is given up', wholeNumber(MINUTES_MAX), MINUTES_DEFAULT)
  .action(fuzz)
  .parse();
