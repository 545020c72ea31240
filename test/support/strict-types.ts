import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');

/** What the compiler says of files in a merchant's strict project without the DOM library; empty: they are sound. */
export async function problemsOfTypes(
  project: string,
  files: readonly string[],
  extra: readonly string[] = [],
): Promise<string> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node', '--lib', 'es2023'];
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--target', 'es2023'];
  const options = ['--ignoreConfig', '--noEmit', '--module', 'nodenext', ...types, ...strict, ...extra];
  return run(process.execPath, [tsc, ...options, ...files], { cwd: project }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}
