import type { ChildProcess, SpawnOptions } from 'node:child_process';

export function spawnGuarded(
  command: string[],
  options: SpawnOptions & {
    stdio: (number | 'ignore' | 'inherit' | 'pipe')[];
    orphanSignal?: NodeJS.Signals | undefined;
  },
): ChildProcess;
