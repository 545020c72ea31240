import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../dev/embedded/ports.ts';
import { buildPackage } from '../../sdk/scripts/build.ts';
import { type RealTimeApi, startRealTimeApi } from '../support/api.ts';
import { problemsOfTypes } from '../support/strict-types.ts';
import { eventually, workerFor } from '../workflows/support.ts';
import { type Guide, guideOf, guides } from './guide.ts';
import { expectationsOf, patternOf, programOf, sourcesOf } from './program.ts';
import type { Told } from './stage.ts';

const run = promisify(execFile);
const GUIDE_MS = 120_000;
/** Addresses as guides write them. */
const SERVICE = 'http://127.0.0.1:3000';
const RECEIVER = /\b(localhost:|127\.0\.0\.1:|listen\()4242\b/g;

/** A merchant's project with the built package. */
let folder: string;
let api: RealTimeApi;
let worker: ReturnType<typeof workerFor>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fatura-guides-'));
  const installed = join(folder, 'node_modules/@fatura/sdk');
  await buildPackage(join(folder, 'built'));
  mkdirSync(dirname(installed), { recursive: true });
  renameSync(join(folder, 'built'), installed);
  mkdirSync(join(folder, 'bin'));
  const npx = join(folder, 'bin/npx');
  writeFileSync(npx, `#!/bin/sh\nshift\nexec "${process.execPath}" "${installed}/cli.js" "$@"\n`);
  chmodSync(npx, 0o755);
  api = await startRealTimeApi();
  worker = workerFor(api);
  await eventually('the worker', async () => worker.isTemporalUp);
});

afterAll(async () => {
  await worker.stop();
  await api.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('every example in TypeScript compiles in a strict project', async () => {
  const sources = Object.assign({}, ...guides.map(sourcesOf));
  for (const [name, source] of Object.entries<string>(sources)) writeFileSync(join(folder, name), source);
  expect(Object.keys(sources).length).toBeGreaterThanOrEqual(guides.length);
  expect(await problemsOfTypes(folder, Object.keys(sources))).toBe('');
});

/** Runs a guide as a reader would, in a new account; answers what it printed. */
async function play(guide: Guide): Promise<Told> {
  const home = join(folder, `${guide.language}-${guide.slug}`);
  mkdirSync(home);
  const { sandboxKey } = await api.newMerchant();
  const port = await freePort();
  const program = programOf(guide).replaceAll(SERVICE, api.baseUrl).replaceAll(RECEIVER, `$1${port}`);
  writeFileSync(join(home, 'guide.mts'), program);
  writeFileSync(join(home, 'wanted.json'), JSON.stringify(expectationsOf(guide).map(({ length }) => length)));
  const env = {
    ...process.env,
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    XDG_CONFIG_HOME: home,
    GUIDE_FOLDER: home,
    FATURA_API_KEY: sandboxKey,
    FATURA_BASE_URL: api.baseUrl,
    NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
  };
  await run(process.execPath, [join(home, 'guide.mts')], { env, cwd: home, timeout: GUIDE_MS });
  return JSON.parse(readFileSync(join(home, 'told.json'), 'utf8'));
}

const runnable = guides.filter(({ blocks }) => blocks.some(({ word, language }) => word === '' && language !== 'json'));

test.concurrent.each(runnable)(
  '$path runs, and prints what it says',
  async (guide) => {
    const { lines, missing } = await play(guide);
    const expected = expectationsOf(guide).map((said) => said.map((words) => expect.stringMatching(patternOf(words))));
    expect({ lines, missing }).toEqual({ lines: expected, missing: [] });
  },
  GUIDE_MS,
);

test('what is not printed, is printed otherwise, or fails in the shell is told', async () => {
  const fenced = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\`\n`;
  const wrong = (slug: string, ...blocks: string[]) => play(guideOf({ slug, language: 'en' }, blocks.join('')));
  const ts = fenced('ts', `const status: string = 'open';\nconsole.log(status, 1); // → paid 1`);
  const sh = fenced('sh', 'SAID=open');
  expect(await wrong('otherwise', ts, sh, fenced('sh', 'echo "$SAID"\n# → paid'))).toEqual({
    lines: [['open 1']],
    missing: [expect.stringMatching(/^paid in: open/)],
  });
  await expect(wrong('fails', fenced('sh', 'false\necho open'))).rejects.toThrow('exit code 1 of');
});

test('a wrong type is told', async () => {
  const guide = guideOf({ slug: 'wrong-type', language: 'en' }, '```ts\nconst cents: number = "1";\n```\n');
  for (const [name, source] of Object.entries(sourcesOf(guide))) writeFileSync(join(folder, name), source);
  expect(await problemsOfTypes(folder, ['en-wrong-type.mts'])).toContain("Type 'string' is not assignable");
});
