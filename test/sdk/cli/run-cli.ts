import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { runProgram } from '../../../sdk/src/cli/program.ts';

/** Node then parses our TypeScript once, not at every start. */
export const COMPILED = join(tmpdir(), 'node-compile-cache');
const PROGRAM = fileURLToPath(new URL('../../../sdk/src/cli/main.ts', import.meta.url));

/** A user of the program: a folder of its own for what is kept, and the variables of its terminal. */
export interface User {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

export async function newUser(env: Record<string, string> = {}): Promise<User> {
  const folder = await mkdtemp(join(tmpdir(), 'fatura-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { folder, env: { XDG_CONFIG_HOME: folder, ...env } };
}

function start({ env }: User, args: readonly string[]): ChildProcess {
  const { FATURA_API_KEY: _, FATURA_BASE_URL: __, ...inherited } = process.env;
  return spawn(process.execPath, [PROGRAM, ...args], { env: { ...inherited, NODE_COMPILE_CACHE: COMPILED, ...env } });
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program to its end, in this process. */
export async function runHere({ env }: User, args: readonly string[]): Promise<Ran> {
  const said: string[] = [];
  const told: string[] = [];
  const code = await runProgram(args, {
    env,
    ended: new AbortController().signal,
    say: (line) => void said.push(`${line}\n`),
    tell: (line) => void told.push(`${line}\n`),
  });
  return { code, stdout: said.join(''), stderr: told.join('') };
}

/** The same in a process of its own, as a user does; `input` is what it reads. */
export async function runCli(user: User, args: readonly string[], input = ''): Promise<Ran> {
  const child = start(user, args);
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('a child has streams');
  const closed = once(child, 'close');
  stdin.end(input);
  const [said, told, [code]] = await Promise.all([text(stdout), text(stderr), closed]);
  return { code, stdout: said, stderr: told };
}

/** A program that runs until it is told to end. */
export interface Running {
  /** Lines of the result, and those beside it, in the order they came. */
  readonly said: string[];
  readonly told: string[];
  until(what: RegExp): Promise<string>;
  /** Ctrl-C; answers the exit code. */
  interrupt(): Promise<number | null>;
  kill9(): Promise<void>;
}

export function startCli(user: User, args: readonly string[]): Running {
  const child = start(user, args);
  const exited = once(child, 'close');
  onTestFinished(() => void child.kill('SIGKILL'));
  const said: string[] = [];
  const told: string[] = [];
  if (child.stdout === null || child.stderr === null) throw new Error('a child has streams');
  createInterface({ input: child.stdout }).on('line', (line) => said.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => told.push(line));
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    const [code] = (await exited) as [number | null];
    return code;
  };
  return {
    said,
    told,
    async until(what) {
      const found = () => [...said, ...told].find((line) => what.test(line));
      await expect.poll(found, { timeout: 15_000, interval: 20 }).toBeDefined();
      return found() ?? '';
    },
    interrupt: () => end('SIGINT'),
    kill9: async () => void (await end('SIGKILL')),
  };
}
