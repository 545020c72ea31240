import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { until } from '../support/stack.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');

/** A program that ends by itself, or is killed before that. */
export interface RunningCommand {
  /** Its exit code; null: it was killed. */
  readonly ended: Promise<number | null>;
  /** What it said so far, whichever way. */
  said(): string;
  /** Resolves when it has said so much as a whole line that holds this text. */
  tells(text: string): Promise<void>;
  kill9(): Promise<unknown>;
}

export function startCommand(args: readonly string[], env: NodeJS.ProcessEnv): RunningCommand {
  const child = spawn(process.execPath, args, { cwd: REPOSITORY, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  // Not `exit`: what it said last may still be on its way then.
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    ended,
    said: () => said,
    tells: (text) => until(`${args.join(' ')} to tell ${text}`, async () => said.includes(text)),
    kill9() {
      child.kill('SIGKILL');
      return ended;
    },
  };
}
