import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { spawnGuarded } from '../embedded/guard.mjs';

const ERROR_LINES = 30;

/** Runs a program to its end, or to ours; what it printed last is told when it fails. */
export async function run(command, options) {
  const child = spawnGuarded(command, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  if (code === 0) return;
  const lines = `${stdout}\n${stderr}`.split('\n').filter(Boolean).slice(-ERROR_LINES);
  throw new Error(`${command.join(' ')} failed (${signal ?? code}):\n    ${lines.join('\n    ')}`);
}
