import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VERSION } from '../version.ts';
import { CliFailure } from './failure.ts';

/** What `npm pack` names the package. */
export const TARBALL = /^fatura-sdk-.+\.tgz$/;
const tarballName = `fatura-sdk-${VERSION}.tgz`;

/** A path as npm wants it of a dependency: from the folder of its package.json. */
function fileSpec(path: string, folder: string): string {
  const from = relative(folder, path).replaceAll(sep, '/');
  return `file:${from.startsWith('.') ? from : `./${from}`}`;
}

/** What this program was installed from, where that is a file: `npx ./fatura-sdk-0.1.0.tgz`, or a project that has it so. */
async function origin(): Promise<string | null> {
  const [, project] = /^(.+)[/\\]node_modules[/\\]@fatura[/\\]sdk[/\\]/.exec(fileURLToPath(import.meta.url)) ?? [];
  if (project === undefined) return null;
  const text = await readFile(join(project, 'package.json'), 'utf8').catch(() => '{}');
  const { dependencies, devDependencies }: Partial<Record<string, Record<string, string>>> = JSON.parse(text);
  const installed = dependencies?.['@fatura/sdk'] ?? devDependencies?.['@fatura/sdk'];
  if (!installed?.startsWith('file:')) return null;
  const path = resolve(project, installed.slice('file:'.length));
  return existsSync(path) ? path : null;
}

/** The tarball that lies in the folder, here, or above either. */
function tarballNear(folder: string): string | null {
  const places = [folder, process.cwd(), dirname(folder), dirname(process.cwd())];
  return places.map((place) => join(place, tarballName)).find((path) => existsSync(path)) ?? null;
}

/** In the repository: what `npm run sdk:build` made there; null elsewhere. */
function builtInRepository(): string | null {
  const sources = fileURLToPath(new URL('../../scripts/build.ts', import.meta.url));
  if (!existsSync(sources)) return null;
  const built = fileURLToPath(new URL('../../dist', import.meta.url));
  if (existsSync(join(built, 'package.json'))) return built;
  throw new CliFailure(
    'Nothing to install is built yet: run `npm run sdk:build`, or say --sdk <tarball, folder or version>.',
  );
}

const isPath = (words: string): boolean => /^(?:\.{0,2}[/\\]|[a-z]:[/\\])|\.tgz$/i.test(words) || existsSync(words);

/** What a shop in `folder` installs as `@fatura/sdk`: what was said, else where this program comes from, else its version. */
export async function sdkSpec(given: string | undefined, folder: string): Promise<string> {
  if (given !== undefined && !isPath(given)) return given;
  if (given !== undefined && !existsSync(given)) throw new CliFailure(`--sdk: there is no ${given}`);
  const path = given ?? (await origin()) ?? tarballNear(folder) ?? builtInRepository();
  return path === null ? VERSION : fileSpec(resolve(path), folder);
}
