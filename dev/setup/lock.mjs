import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const BEAT_MS = 2_000;
const STALE_MS = 30_000;
const POLL_MS = 300;

/**
 * Runs `work` while holding `path`, waiting for another holder. A holder touches its file; one whose process
 * is gone, or that has not touched it for long (another machine's, on a shared disk), has lost it.
 */
export async function withLock(path, { onWait, work }) {
  const holder = `${process.pid} ${randomUUID()}`;
  let hasTold = false;
  while (!tryToTake(path, holder)) {
    if (dropIfAbandoned(path)) continue;
    if (!hasTold) onWait();
    hasTold = true;
    await sleep(POLL_MS);
  }
  const beat = setInterval(() => touch(path), BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    if (read(path) === holder) rmSync(path, { force: true });
  }
}

function tryToTake(path, holder) {
  try {
    writeFileSync(path, holder, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function dropIfAbandoned(path) {
  const holder = read(path);
  if (holder === null) return true;
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (isRunning(Number(holder.split(' ')[0])) && age < STALE_MS) return false;
  // Renamed before it is deleted: of two that find it abandoned, the second must not delete the first's new lock.
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch {
    return true;
  }
  if (read(aside) === holder) rmSync(aside, { force: true });
  else renameSync(aside, path);
  return true;
}

function isRunning(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return true; // being written at this moment; its age decides
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function touch(path) {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {} // taken away by somebody who found us stalled
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
