import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A program of a package of the Python index, installed once a machine; answers where it is. */
export function installPython(requirement: string, program: string): string {
  const folder = join(tmpdir(), 'fatura-tests-python', requirement);
  const path = join(folder, 'bin', program);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', folder, requirement];
    execFileSync('python3', install, { stdio: 'pipe' });
  }
  return path;
}
