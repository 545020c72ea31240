// Plain JavaScript: the set-up step runs it on whatever Node starts npm.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';

export const TEMPORAL_VERSION = '1.5.1';

const VERSION_WAIT_MS = 10_000;
const PROGRAM = 'temporal';

/** The user's folder for what can be made again; it outlives the checkout. */
export function cacheFolder(env) {
  if (env.XDG_CACHE_HOME && isAbsolute(env.XDG_CACHE_HOME)) return join(env.XDG_CACHE_HOME, 'fatura');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'fatura');
  return join(homedir(), '.cache', 'fatura');
}

export function cachedTemporal(env) {
  return join(cacheFolder(env), `temporal-${TEMPORAL_VERSION}`, PROGRAM);
}

/** The Temporal server to run: the cached one, else one of the pinned version on PATH, else null. */
export function findTemporal(env) {
  const cached = cachedTemporal(env);
  if (existsSync(cached)) return cached;
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute);
  const candidates = folders.map((folder) => join(folder, PROGRAM)).filter((path) => existsSync(path));
  return candidates.find((path) => versionOf(path) === TEMPORAL_VERSION) ?? null;
}

/** As the program tells it: `temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)`. */
function versionOf(path) {
  try {
    const said = execFileSync(path, ['--version'], { encoding: 'utf8', timeout: VERSION_WAIT_MS, stdio: 'pipe' });
    return /^temporal version (\S+)/.exec(said)?.[1] ?? null;
  } catch {
    return null;
  }
}
