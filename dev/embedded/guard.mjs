import { spawn } from 'node:child_process';

/**
 * Starts a child that ends when this process is killed: a shell reads from a pipe whose other end only this process
 * has, and the system closes that however this process ends.
 */
export function startGuarded(start, signal = 'SIGKILL') {
  const guard = spawn('/bin/sh', ['-c', `read pid && { read _; kill -${signal.slice(3)} $pid; }`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const child = start();
  if (child.pid === undefined) guard.kill('SIGKILL');
  else guard.stdin.write(`${child.pid}\n`);
  child.once('exit', () => guard.kill('SIGKILL'));
  return child;
}
