import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from './run.mjs';

/** As Node has it by default. */
const FILE_THREADS_MAX = 4;
const NO_SCRIPTS =
  'npm is set to run no install scripts (npm config get ignore-scripts), and PostgreSQL and others need theirs; ' +
  'no others than package.json names are run';
const NO_NODE =
  'npm installed the packages without Node 26, which is an optional package for each platform: is optional among ' +
  `what npm leaves out (npm config get omit), or is there none for ${process.platform}-${process.arch}?`;

/** The packages that were installed, as far as they can differ: the lockfile's text and what it was resolved for. */
function fingerprint(root) {
  const lockfile = readFileSync(join(root, 'package-lock.json'));
  const digest = createHash('sha256').update(lockfile).digest('hex');
  return `${digest} ${process.platform}-${process.arch}\n`;
}

const markerOf = (root) => join(root, 'node_modules', '.fatura-lock');

export function isInstalled(root) {
  return hasPrograms(root) && readOrNull(markerOf(root)) === fingerprint(root);
}

export function markInstalled(root) {
  writeFileSync(markerOf(root), fingerprint(root));
}

const nodeOf = (root) => join(root, 'node_modules', '.bin', 'node');

/** The Node that runs the server is itself one of the packages. */
function hasPrograms(root) {
  return existsSync(nodeOf(root));
}

/** Refuses a Node that is not the one of `node-digests.json`: its packages are no release of Node's own makers. */
export async function verifyNode(root) {
  const wanted = JSON.parse(readFileSync(join(root, 'dev', 'setup', 'node-digests.json'), 'utf8'));
  const { file, sha256 } = wanted[`${process.platform}-${process.arch}`] ?? {};
  if (file === undefined) throw new Error(NO_NODE);
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(root, 'node_modules', file)), hash);
  const digest = hash.digest('hex');
  if (digest !== sha256) throw new Error(`${file} has the SHA-256 ${digest} instead of ${sha256}: it is not run.`);
}

/** Runs a script of the repository on that Node. */
export const runNode = (root, script) => run(nodeOf(root), [script], { cwd: root });

/** Whether somebody's own `npm install` already put there what the lockfile asks for. */
export function matchesLockfile(root) {
  const wanted = parsePackages(join(root, 'package-lock.json'));
  const present = parsePackages(join(root, 'node_modules', '.package-lock.json'));
  if (!wanted || !present || !hasPrograms(root)) return false;
  const isSame = (name) =>
    wanted[name]?.version === present[name]?.version && wanted[name]?.integrity === present[name]?.integrity;
  const isExpected = Object.keys(present).every((name) => name in wanted && isSame(name));
  const isComplete = Object.keys(wanted).every((name) => {
    if (name in present || !name.includes('node_modules/')) return true;
    return Boolean(wanted[name].optional || wanted[name].devOptional || wanted[name].peer);
  });
  return isExpected && isComplete;
}

/** `npm ci` with the npm that runs us, else the one on PATH. */
export async function install({ root, env, signal }) {
  if (env.npm_config_ignore_scripts === 'true') throw new Error(NO_SCRIPTS);
  rmSync(markerOf(root), { force: true });
  // Not process.execPath: that may be the Node inside node_modules, which npm is about to delete.
  const [npm, ...script] =
    env.npm_execpath && env.npm_node_execpath ? [env.npm_node_execpath, env.npm_execpath] : ['npm'];
  const options = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  // npm itself keeps one core busy; more threads that write files than there are other cores only take turns with it.
  const fileThreads = Math.min(FILE_THREADS_MAX, Math.max(1, availableParallelism() - 1));
  await run(npm, [...script, 'ci', ...options], {
    cwd: root,
    env: { UV_THREADPOOL_SIZE: String(fileThreads), ...env },
    signal,
  });
  if (!hasPrograms(root)) throw new Error(NO_NODE);
}

function parsePackages(path) {
  const text = readOrNull(path);
  return text === null ? null : JSON.parse(text).packages;
}

function readOrNull(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
