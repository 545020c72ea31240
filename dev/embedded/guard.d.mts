import type { ChildProcess } from 'node:child_process';

export function startGuarded(start: () => ChildProcess, signal?: NodeJS.Signals): ChildProcess;
