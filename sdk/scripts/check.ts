import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { buildPackage } from './build.ts';

/** What a merchant's bundle may grow by, for each entry as published, gzipped. */
export const SIZES_MAX_BYTES = { index: 10 * 1024, webhooks: 3584, inbox: 1536, card: 1536 };

type Entry = keyof typeof SIZES_MAX_BYTES;

const entries = Object.keys(SIZES_MAX_BYTES) as Entry[];

const run = promisify(execFile);
const bin = (name: string) => fileURLToPath(new URL(`../../node_modules/.bin/${name}`, import.meta.url));

/** Packs a built package as npm would publish it; answers the path of the tarball. */
export async function pack(packageDir: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', packageDir], { cwd: packageDir });
  const [{ filename }] = JSON.parse(stdout);
  return join(packageDir, filename);
}

/** Refuses a package that some resolver would find broken: publint and attw, warnings included. */
export async function lint(tarball: string): Promise<void> {
  await run(bin('publint'), ['--strict', tarball]);
  await run(bin('attw'), [tarball]);
}

/** Publishes a built package for show: npm does all but send it, asks no registry, and has nothing to correct. */
export async function rehearsePublication(packageDir: string): Promise<string> {
  const { stdout, stderr } = await run('npm', ['publish', packageDir, '--dry-run', '--offline', '--loglevel=notice']);
  if (stderr.includes('auto-corrected')) throw new Error(stderr);
  return stdout.trim().replace(/^\+ /, '');
}

/** Gzipped bytes of each published entry. */
export async function sizes(packageDir: string): Promise<Record<Entry, number>> {
  const gzipped = async (file: string) => gzipSync(await readFile(join(packageDir, file)), { level: 9 }).length;
  return {
    index: await gzipped('index.js'),
    webhooks: await gzipped('webhooks.js'),
    inbox: await gzipped('inbox.js'),
    card: await gzipped('card.js'),
  };
}

if (import.meta.main) {
  const packageDir = await mkdtemp(join(tmpdir(), 'fatura-sdk-'));
  await buildPackage(packageDir);
  await lint(await pack(packageDir));
  const published = await rehearsePublication(packageDir);
  const weighed = await sizes(packageDir);
  const told = entries.map((entry) => `${entry} ${weighed[entry]} bytes of ${SIZES_MAX_BYTES[entry]}`);
  console.log(`publint, attw and npm are content with ${published}; gzipped: ${told.join(', ')}`);
  await rm(packageDir, { recursive: true });
  if (entries.some((entry) => weighed[entry] > SIZES_MAX_BYTES[entry])) process.exitCode = 1;
}
