// Runs before `npm start` and `npm test` on whatever Node starts npm (20 or later), and needs no package.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt } from '../scripts/built.mjs';
import { cacheFolder, findTemporal } from './embedded/temporal/find.mjs';
import { obtainTemporal } from './embedded/temporal/obtain.mjs';
import { alone } from './setup/alone.mjs';
import { install, isInstalled, runNode } from './setup/install.mjs';
import { step } from './setup/progress.mjs';

const OLDEST_NODE = 20;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const needsTemporal = () => !process.env.TEMPORAL_ADDRESS && findTemporal(process.env) === null;

try {
  if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
    throw new Error(`Node ${OLDEST_NODE} or later is needed to start; this is ${process.version}.`);
  }
  await Promise.all([preparePackages(), prepareTemporal()]);
} catch (error) {
  // Nobody waits for what else is under way: its programs end with us.
  process.stderr.write(`Set-up failed. ${error instanceof Error ? error.message : error}\n`, () => process.exit(1));
}

async function preparePackages() {
  if (isInstalled(root) && isBuilt(root)) return;
  await alone(root, async () => {
    if (!isInstalled(root)) {
      await step('Installing the packages of package-lock.json', () => install({ root, env: process.env }));
    }
    // With the Node of package.json: the one that runs us may be too old for the bundler.
    if (!isBuilt(root))
      await step('Building the pages and the workflows', () => runNode(root, join('scripts', 'build.ts')));
  });
}

async function prepareTemporal() {
  if (!needsTemporal()) return;
  await alone(cacheFolder(process.env), async () => {
    if (needsTemporal()) await obtainTemporal(process.env);
  });
}
