import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** A program of a Go module, built once a machine; answers where it is. */
export function installGo(program: string, version: string): string {
  const folder = join(tmpdir(), 'fatura-tests-go', version);
  const path = join(folder, basename(program));
  if (!existsSync(path)) {
    const env = { ...process.env, GOBIN: folder };
    execFileSync('go', ['install', `${program}@${version}`], { env, stdio: 'pipe' });
  }
  return path;
}

/** The folder of a Go module's files, fetched once a machine. */
export function goModule(module: string, version: string): string {
  const told = execFileSync('go', ['mod', 'download', '-json', `${module}@${version}`], {
    encoding: 'utf8',
    cwd: tmpdir(),
  });
  return JSON.parse(told).Dir;
}
