import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, rmSync } from 'node:fs';
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

const lockfileOf = (root) => join(root, 'package-lock.json');
/** What npm wrote of the packages that it put there, once all were. */
const installedOf = (root) => join(root, 'node_modules', '.package-lock.json');

/** The Node that runs the server is itself one of the packages. */
function nodeOf(root) {
  const nodes = JSON.parse(readFileSync(join(root, 'dev', 'setup', 'node-digests.json'), 'utf8'));
  const node = nodes[`${process.platform}-${process.arch}`];
  return { path: join(root, 'node_modules', node?.file ?? 'none'), sha256: node?.sha256 };
}

/** Whether what the lockfile asks for is there, be it by somebody's own `npm install`. */
export function isInstalled(root) {
  if (!existsSync(installedOf(root)) || !existsSync(nodeOf(root).path)) return false;
  const [wanted, present] = [lockfileOf(root), installedOf(root)].map(
    (path) => JSON.parse(readFileSync(path, 'utf8')).packages,
  );
  const isSame = (name) =>
    wanted[name]?.version === present[name].version && wanted[name]?.integrity === present[name].integrity;
  const isNeeded = (name) =>
    name.includes('node_modules/') && !wanted[name].optional && !wanted[name].devOptional && !wanted[name].peer;
  return Object.keys(present).every(isSame) && Object.keys(wanted).every((name) => name in present || !isNeeded(name));
}

/** Refuses a Node that is not the one of `node-digests.json`: its packages are no release of Node's own makers. */
export async function verifyNode(root) {
  const { path, sha256 } = nodeOf(root);
  if (!existsSync(path)) throw new Error(NO_NODE);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const digest = hash.digest('hex');
  if (digest !== sha256) throw new Error(`${path} has the SHA-256 ${digest} instead of ${sha256}: it is not run.`);
}

/** Runs a script of the repository on that Node. */
export const runNode = (root, script) => run([nodeOf(root).path, script], { cwd: root });

/** `npm ci` with the npm that runs us, else the one on PATH. */
export async function install({ root, env }) {
  if (env.npm_config_ignore_scripts === 'true') throw new Error(NO_SCRIPTS);
  // Not process.execPath: that may be the Node inside node_modules, which npm is about to delete.
  const npm = env.npm_execpath && env.npm_node_execpath ? [env.npm_node_execpath, env.npm_execpath] : ['npm'];
  const options = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  // npm itself keeps one core busy; more threads that write files than there are other cores only take turns with it.
  const fileThreads = Math.min(FILE_THREADS_MAX, Math.max(1, availableParallelism() - 1));
  await run([...npm, 'ci', ...options], {
    cwd: root,
    env: { UV_THREADPOOL_SIZE: String(fileThreads), ...env },
  });
  await verifyNode(root).catch((error) => {
    rmSync(installedOf(root), { force: true }); // the next start begins anew
    throw error;
  });
}
