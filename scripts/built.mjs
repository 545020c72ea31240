import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where everything is built to; `server/web/built.ts` and `workflows/bundle.ts` read it there. */
export const builtFolder = (root) => join(root, '.fatura', 'build');

/** What a build depends on, though its bundler does not see it. */
export const ALWAYS_READ = ['package-lock.json', 'scripts/build.ts'];

/** A digest of the files that a build was made of; null when one of them is gone. */
export function digestOf(root, files) {
  const digest = createHash('sha256');
  for (const file of files) {
    const content = readOrNull(join(root, file));
    if (content === null) return null;
    digest.update(`${file}\0${content.length}\0`).update(content);
  }
  return digest.digest('hex');
}

/** Whether all is built from the sources as they are. */
export function isBuilt(root) {
  const record = readOrNull(join(builtFolder(root), 'built.json'));
  if (record === null) return false;
  const { sources, digest } = JSON.parse(record.toString('utf8'));
  return digest !== null && digestOf(root, sources) === digest;
}

function readOrNull(path) {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
