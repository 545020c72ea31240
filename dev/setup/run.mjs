import { execFile } from 'node:child_process';
import { startGuarded } from '../embedded/guard.mjs';

const ERROR_LINES = 30;
const OUTPUT_MAX_BYTES = 16 * 1024 * 1024;

/** Runs a program to its end, or to ours; what it printed last is told when it fails. */
export function run(program, args, options) {
  return new Promise((resolve, reject) => {
    const end = (error, stdout, stderr) => {
      if (error === null) return resolve();
      if (error.code === 'ENOENT') return reject(new Error(`there is no \`${program}\` on PATH`));
      const lines = `${stdout}\n${stderr}`.split('\n').filter(Boolean).slice(-ERROR_LINES);
      const command = [program, ...args].join(' ');
      reject(new Error(`${command} failed (${error.signal ?? error.code}):\n    ${lines.join('\n    ')}`));
    };
    startGuarded(() => execFile(program, args, { maxBuffer: OUTPUT_MAX_BYTES, ...options }, end));
  });
}
