import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const TOOLS = resolve('.fatura/tools');
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

interface Command {
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Runs a program to its end; what it printed, or an error with all of it. */
export async function runTool(program: string, { args, cwd, env, timeoutMs }: Command): Promise<string> {
  try {
    const { stdout, stderr } = await run(program, args, {
      ...(cwd !== undefined && { cwd }),
      env: { ...process.env, ...env },
      timeout: timeoutMs,
      maxBuffer: OUTPUT_BYTES_MAX,
    });
    return stdout + stderr;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string };
    throw new Error(`${program} ${args.join(' ')} failed: ${message}\n${stdout}${stderr}`);
  }
}

/** The languages of which a machine that develops this service may have no tools. */
const languages = {
  python: {
    // The clients that openapi-python-client writes use typing.Self.
    needed: 'python3 of version 3.11 or newer, with venv and pip',
    program: 'python3',
    args: ['-c', 'import ensurepip, sys, venv; print("enough" if sys.version_info >= (3, 11) else "old")'],
    enough: /^enough/,
  },
  go: {
    needed: 'go of version 1.25 or newer',
    program: 'go',
    args: ['env', 'GOVERSION'],
    enough: /^go1\.(2[5-9]|[3-9]\d)/,
  },
} as const;

/** What of a test is skipped and named. */
type Skippable = { readonly task: { readonly name: string }; skip(note: string): void };

/** Skips the test with a loud reason where the language is missing; on CI nothing is skipped. */
export async function needsLanguage(context: Skippable, language: keyof typeof languages): Promise<void> {
  const { program, args, needed, enough } = languages[language];
  const isThere = await run(program, args).then(
    ({ stdout }) => enough.test(stdout),
    () => false,
  );
  if (isThere) return;
  const reason = `NOT TESTED: this machine has no ${needed}`;
  if (process.env.CI !== undefined && process.env.CI !== 'false') throw new Error(reason);
  console.error(`\n${context.task.name}: ${reason}\n`);
  context.skip(reason);
}

/** A folder with what the lock names, made once by `install` and kept from run to run until the lock changes. */
export async function installed(
  name: string,
  { lock, install }: { lock: readonly string[]; install: (folder: string) => Promise<void> },
): Promise<string> {
  const hash = createHash('sha256');
  for (const file of lock) hash.update(readFileSync(file));
  const folder = join(TOOLS, `${name}-${hash.digest('hex').slice(0, 12)}`);
  const done = join(folder, '.installed');
  if (existsSync(done)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await install(folder);
  writeFileSync(done, '');
  return folder;
}

const INSTALL_MS = 300_000;

/** The folder of programs of a Python environment with these requirements. */
export async function pythonTools(name: string, requirements: string): Promise<string> {
  const folder = await installed(name, {
    lock: [requirements],
    async install(into) {
      await runTool('python3', { args: ['-m', 'venv', into], timeoutMs: INSTALL_MS });
      const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input', '-r', requirements];
      await runTool(join(into, 'bin', 'python'), { args, timeoutMs: INSTALL_MS });
    },
  });
  return join(folder, 'bin');
}

/** A program that the module of this folder names as a tool, built from the sources that its go.sum pins. */
export async function goTool(name: string, { module, path }: { module: string; path: string }): Promise<string> {
  const folder = await installed(name, {
    lock: [join(module, 'go.mod'), join(module, 'go.sum')],
    async install(into) {
      const args = ['build', '-mod=readonly', '-buildvcs=false', '-o', join(into, name), path];
      await runTool('go', { args, cwd: module, env: { GOWORK: 'off', CGO_ENABLED: '0' }, timeoutMs: INSTALL_MS });
    },
  });
  return join(folder, name);
}

/** The node_modules of the package-lock.json in this folder. */
export async function npmTools(name: string, package_: string): Promise<string> {
  const files = ['package.json', 'package-lock.json'];
  const folder = await installed(name, {
    lock: files.map((file) => join(package_, file)),
    async install(into) {
      for (const file of files) copyFileSync(join(package_, file), join(into, file));
      await runTool('npm', {
        args: ['ci', '--ignore-scripts', '--no-audit', '--no-fund'],
        cwd: into,
        timeoutMs: INSTALL_MS,
      });
    },
  });
  return join(folder, 'node_modules');
}
