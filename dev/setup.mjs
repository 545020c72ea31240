// Runs before `npm start` and `npm test` on whatever Node starts npm (20 or later), and needs no package.
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWebBuilt } from '../web/built.mjs';
import { cacheFolder, findTemporal } from './embedded/temporal/find.mjs';
import { isInstalled } from './setup/install.mjs';

const OLDEST_NODE = 20;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const needsTemporal = () => !process.env.TEMPORAL_ADDRESS && findTemporal(process.env) === null;
/** Ends the programs that run when something fails: nobody waits for them then. */
const failing = new AbortController();

try {
  if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
    throw new Error(`Node ${OLDEST_NODE} or later is needed to start; this is ${process.version}.`);
  }
  await Promise.all([preparePackages(), prepareTemporal()]);
  end(0, '');
} catch (error) {
  failing.abort();
  end(1, `Set-up failed. ${error instanceof Error ? error.message : error}\n`);
}

/** A timer or a look-up that is still under way does not keep the set-up. */
function end(status, words) {
  process.stderr.write(words, () => process.exit(status));
}

async function preparePackages() {
  if (!isInstalled(root)) await installOnce();
  if (!isWebBuilt(root)) await buildWebOnce();
}

async function prepareTemporal() {
  if (needsTemporal()) await obtainTemporalOnce();
}

async function installOnce() {
  const { install, markInstalled, matchesLockfile, verifyNode } = await import('./setup/install.mjs');
  const { step } = await import('./setup/progress.mjs');
  await alone(root, async () => {
    if (isInstalled(root)) return;
    if (!matchesLockfile(root)) {
      await step('Installing the packages of package-lock.json', () =>
        install({ root, env: process.env, signal: failing.signal }),
      );
    }
    await verifyNode(root);
    markInstalled(root);
  });
}

/** With the Node of package.json: the one that runs us may be too old for the bundler. */
async function buildWebOnce() {
  const { runNode } = await import('./setup/install.mjs');
  const { step } = await import('./setup/progress.mjs');
  await alone(root, async () => {
    if (isWebBuilt(root)) return;
    await step('Building the pages for buyers', () => runNode(root, join('web', 'build.ts')));
  });
}

async function obtainTemporalOnce() {
  const { obtainTemporal } = await import('./embedded/temporal/obtain.mjs');
  const { say, step } = await import('./setup/progress.mjs');
  await alone(cacheFolder(process.env), async () => {
    if (needsTemporal()) await obtainTemporal({ env: process.env, step, say, signal: failing.signal });
  });
}

/** One set-up at a time on a folder, for this user on this machine. */
async function alone(folder, work) {
  const { withLock } = await import('./setup/lock.mjs');
  const { say } = await import('./setup/progress.mjs');
  const name = createHash('sha256')
    .update(`${process.getuid?.() ?? ''} ${folder}`)
    .digest('hex')
    .slice(0, 16);
  await withLock(join(tmpdir(), `fatura-setup-${name}.lock`), {
    onWait: () => say('Waiting for another set-up of the same folder …'),
    work,
  });
}
