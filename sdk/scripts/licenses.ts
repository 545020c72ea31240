import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** The folders of the packages that a bundle took code from. */
export function bundledPackages({ inputs }: Metafile): string[] {
  const folders = Object.keys(inputs).flatMap(
    (path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  );
  return [...new Set(folders)].sort();
}

/** The licence texts of the packages in a bundle, which go along with their code; a package without one is no package to bundle. */
export async function licenseTexts(metafile: Metafile, root: string): Promise<string> {
  const texts = bundledPackages(metafile).map(async (folder) => {
    const path = join(root, folder);
    const { name, version, license } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'));
    const file = (await readdir(path)).find((one) => /^licen[cs]e/i.test(one));
    if (file === undefined) throw new Error(`${name} is bundled and brings no text of its licence (${license})`);
    return `${name} ${version} (${license})\n\n${(await readFile(join(path, file), 'utf8')).trim()}\n`;
  });
  const head = 'Code of these packages is part of mcp.js.\n';
  return [head, ...(await Promise.all(texts))].join(`\n${'-'.repeat(80)}\n\n`);
}
