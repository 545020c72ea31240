import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliFailure } from './failure.ts';

/** The folders of `starters` that each shop is made of; a file of a later one wins. */
export const frameworks = {
  express: { title: 'Express', layers: ['shared/all', 'shared/pages', 'shared/listener', 'express'] },
  next: { title: 'Next.js', layers: ['shared/all', 'next'] },
  hono: { title: 'Hono', layers: ['shared/all', 'shared/pages', 'hono'] },
  node: { title: 'Node alone', layers: ['shared/all', 'shared/pages', 'shared/listener', 'node'] },
} as const;

export type Framework = keyof typeof frameworks;

/** npm leaves out or renames these when it packs, so they are kept under other names. */
const DOTTED: Readonly<Record<string, string>> = { gitignore: '.gitignore', 'env.example': '.env.example' };

const PORT_IN_FILES = /\b4242\b/g;

interface Starter {
  readonly framework: Framework;
  readonly folder: string;
  readonly port: number;
  /** What is installed as `@fatura/sdk`. */
  readonly sdk: string;
  /** The values of `.env`. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Beside the bundled program, or in the repository. */
function startersFolder(): string {
  const places = ['./starters/', '../../starters/'].map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const found = places.find((place) => existsSync(join(place, 'express/package.json')));
  if (found === undefined) throw new CliFailure('This installation of fatura lacks its starters: install it anew.');
  return found;
}

/** Every file of a folder, by its path from there. */
async function filesIn(folder: string): Promise<string[]> {
  const paths = await readdir(folder, { recursive: true });
  const areFiles = await Promise.all(paths.map(async (path) => (await stat(join(folder, path))).isFile()));
  return paths.filter((_, place) => areFiles[place]);
}

/** The texts of a shop by their paths. */
async function textsOf(framework: Framework): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const layer of frameworks[framework].layers) {
    const from = join(startersFolder(), layer);
    for (const file of await filesIn(from)) {
      texts.set(DOTTED[file] ?? file, await readFile(join(from, file), 'utf8'));
    }
  }
  return texts;
}

/** A name that npm takes, made of that of the folder. */
const packageName = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '') || 'fatura-starter';

function manifestOf(text: string, { folder, sdk }: Starter): string {
  const manifest: { dependencies: object } = JSON.parse(text);
  const dependencies = { ...manifest.dependencies, '@fatura/sdk': sdk };
  return `${JSON.stringify({ ...manifest, name: packageName(folder), dependencies }, null, 2)}\n`;
}

/** `.env.example` with its values filled in. */
const filledIn = (example: string, settings: Starter['settings']): string =>
  example.replaceAll(/^([A-Z_]+)=.*$/gm, (line, name: string) =>
    settings[name] === undefined ? line : `${name}=${settings[name]}`,
  );

export const MANIFEST = 'package.json';

/** Writes the files of a shop, none over one that is there but for the manifest that npm made; answers their paths. */
export async function writeStarter(starter: Starter): Promise<string[]> {
  const texts = await textsOf(starter.framework);
  for (const [path, text] of texts) texts.set(path, text.replaceAll(PORT_IN_FILES, String(starter.port)));
  texts.set(MANIFEST, manifestOf(texts.get(MANIFEST) ?? '{}', starter));
  texts.set('.env', filledIn(texts.get('.env.example') ?? '', starter.settings));
  const paths = [...texts.keys()].sort();
  for (const path of paths) {
    const to = join(starter.folder, path);
    await mkdir(dirname(to), { recursive: true });
    // The key is for its owner's eyes alone.
    const mode = path === '.env' ? 0o600 : 0o644;
    await writeFile(to, texts.get(path) ?? '', { flag: path === MANIFEST ? 'w' : 'wx', mode });
  }
  return paths.map((path) => path.replaceAll(sep, '/'));
}
