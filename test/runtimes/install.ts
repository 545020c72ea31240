import { execFile } from 'node:child_process';
import { copyFile, glob, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const WANTED = fileURLToPath(new URL('package.json', import.meta.url));
/** Kept from run to run: half a gigabyte that nobody needs who only starts the service. */
const FOLDER = fileURLToPath(new URL('../../.fatura/runtimes', import.meta.url));

/** Where each runtime's program is within its package, whatever the platform. */
const programs = {
  node20: 'node-*/bin/node',
  bun: '@oven/bun-*/bin/bun',
  deno: '@deno/*/deno',
  workerd: '@cloudflare/workerd-*/bin/workerd',
};

export type Runtime = keyof typeof programs;

const textOf = (file: string): Promise<string | null> => readFile(file, 'utf8').catch(() => null);

async function find(runtime: Runtime): Promise<string> {
  for await (const file of glob(programs[runtime], { cwd: join(FOLDER, 'node_modules') })) {
    return join(FOLDER, 'node_modules', file);
  }
  throw new Error(`${runtime} has no package for this platform among those of ${WANTED}`);
}

/** The program of each runtime, installed if it is not. Every version is exact, and none of the packages has others. */
export async function installRuntimes(): Promise<Record<Runtime, string>> {
  const installed = join(FOLDER, 'installed.json');
  if ((await textOf(installed)) !== (await textOf(WANTED))) {
    await rm(FOLDER, { recursive: true, force: true });
    await mkdir(FOLDER, { recursive: true });
    await copyFile(WANTED, join(FOLDER, 'package.json'));
    // A program is in its package as it is; scripts would only put links to it.
    const options = ['--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', ['install', ...options], { cwd: FOLDER });
    await copyFile(WANTED, installed);
  }
  return {
    node20: await find('node20'),
    bun: await find('bun'),
    deno: await find('deno'),
    workerd: await find('workerd'),
  };
}
