import { spawn } from 'node:child_process';

/**
 * Starts a program that ends when this process is killed. A shell, the guard, reads from a pipe whose other end only this
 * process has: the system closes that however this process ends. The program's own shell tells the guard its number before
 * it becomes the program, so there is no moment without a guard.
 */
export function spawnGuarded(command, { stdio, orphanSignal = 'SIGKILL', ...options }) {
  const guard = spawn('/bin/sh', ['-c', `read pid && { read _; kill -${orphanSignal.slice(3)} $pid; }`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const child = spawn('/bin/sh', ['-c', 'echo $$ >&3; exec "$@" 3>&-', 'sh', ...command], {
    ...options,
    stdio: [...stdio, guard.stdin],
  });
  child.once('error', () => guard.kill('SIGKILL'));
  child.once('exit', () => guard.kill('SIGKILL'));
  return child;
}
