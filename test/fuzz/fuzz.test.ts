import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { buildOpenApi } from '../../contract/openapi.ts';
import { startApi } from '../support/api.ts';
import { needsLanguage, pythonTools } from '../support/toolbox.ts';
import { readFuzzSettings } from './settings.ts';

const HERE = import.meta.dirname;
const OUT = resolve('.fatura/fuzz');

/** Nothing answers there, so a name that a generator draws leads nowhere. */
const NO_NAME_SERVER = '127.0.0.1:9';

/** What an installation, the start of the service and its end may add. */
const SLACK_MS = 180_000;

const settings = readFuzzSettings(process.env);

interface Report {
  readonly complete: boolean;
  readonly operations: { readonly total: number; readonly tested: number };
  readonly test_cases: { readonly generated: number };
  readonly failures: readonly { readonly title: string; readonly operations: readonly string[] }[];
  readonly errors: readonly { readonly title: string; readonly count: number }[];
}

/** Runs a program to its end; what it prints stands in the file as it goes. */
async function runInto(
  file: string,
  program: string,
  { args, env }: { args: readonly string[]; env: Readonly<Record<string, string>> },
): Promise<void> {
  const output = openSync(file, 'w');
  const child = spawn(program, args, {
    cwd: OUT,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
    timeout: settings.timeoutMs,
    // It ends with what it has found so far.
    killSignal: 'SIGINT',
  });
  await once(child, 'close').finally(() => closeSync(output));
}

test('the service answers whatever is sent as its document says', {
  timeout: settings.timeoutMs + SLACK_MS,
}, async (context) => {
  await needsLanguage(context, 'python');
  const bin = await pythonTools('schemathesis', join(HERE, 'requirements.txt'));
  const api = await startApi({
    webhookNameServers: [NO_NAME_SERVER],
    patienceSeconds: (settings.timeoutMs + SLACK_MS) / 1_000,
  });
  const [merchant, clock] = [await api.newMerchant(), await api.newMerchant()];
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  const [document, report, log] = ['openapi.json', 'report.json', 'log.txt'].map((name) => join(OUT, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(document, JSON.stringify(buildOpenApi(api.baseUrl)));
  console.info(`${settings.examples} examples an operation, seed ${settings.seed}; all is told in ${log}`);
  await runInto(log, join(bin, 'schemathesis'), {
    args: [
      ...['--config-file', join(HERE, 'schemathesis.toml'), 'run', document, '--url', api.baseUrl],
      ...['--max-examples', String(settings.examples), '--seed', String(settings.seed)],
      ...['--report-json-path', report, ...settings.more],
    ],
    env: { PYTHONPATH: HERE, FUZZ_KEY: merchant.sandboxKey, FUZZ_CLOCK_KEY: clock.sandboxKey },
  });
  // The report is written by schemathesis in this form.
  const { complete, operations, test_cases, failures, errors } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  console.info(`${operations.tested} operations, ${test_cases.generated} requests`);
  await api.stop();
  expect(failures, `see ${log}`).toEqual([]);
  expect(errors, `see ${log}`).toEqual([]);
  expect({ complete, tested: operations.tested }, log).toEqual({ complete: true, tested: operations.total });
});
