import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const ERROR_LINES = 30;
const OUTPUT_MAX_BYTES = 16 * 1024 * 1024;

/** Runs a program to its end; what it printed last is told when it fails. */
export async function run(program, args, options) {
  try {
    await promisify(execFile)(program, args, { maxBuffer: OUTPUT_MAX_BYTES, ...options });
  } catch (error) {
    if (error.code === 'ENOENT') throw new Error(`there is no \`${program}\` on PATH`);
    const lines = `${error.stdout}\n${error.stderr}`.split('\n').filter(Boolean).slice(-ERROR_LINES);
    const command = [program, ...args].join(' ');
    throw new Error(`${command} failed (${error.signal ?? error.code}):\n    ${lines.join('\n    ')}`);
  }
}
