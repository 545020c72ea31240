import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './progress.mjs';

const POLL_MS = 300;

/** Runs `work` while no other set-up works on the folder. A file names the process that has it. */
export async function alone(folder, work) {
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, '.setup.lock');
  for (let hasTold = false; !take(lock); hasTold = true) {
    if (!hasTold) say(`Waiting for another set-up of the same folder, which ${lock} names …`);
    await sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (wasKilled(lock)) rmSync(lock, { force: true }); // the next look takes it
    return false;
  }
}

function wasKilled(lock) {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}
