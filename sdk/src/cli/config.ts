import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { CliFailure } from './failure.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What `fatura login` keeps. */
export interface Login {
  readonly api_key: string;
  readonly base_url: string | null;
}

/** The user's own folder for what `fatura` keeps between its runs. */
export function configFolder(env: Environment): string {
  const own = platform() === 'win32' ? env.APPDATA : env.XDG_CONFIG_HOME;
  return join(own || join(homedir(), '.config'), 'fatura');
}

export const loginFile = (env: Environment): string => join(configFolder(env), 'config.json');

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** What a file holds; null: there is none. */
export async function readKept<T>(path: string): Promise<T | null> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (text === null) return null;
  try {
    // Nobody else writes these files.
    return JSON.parse(text) as T;
  } catch {
    throw new CliFailure(`${path} cannot be read; remove it`);
  }
}

/** Writes a file as a whole or not at all, for its owner's eyes alone: it holds secrets. */
export async function keep(path: string, value: object): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

export const forget = (path: string): Promise<void> => rm(path, { force: true });
