import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The bundle of the workflows, in the folder of the build. */
export const BUNDLE = 'workflows.js';
const CODE = resolve(import.meta.dirname, '../.fatura/build', BUNDLE);

export class WorkflowsNotBuilt extends Error {}

/** The workflows as the build left them; a start does not bundle them, which takes seconds and hundreds of megabytes. */
export function builtWorkflows(): { readonly codePath: string } {
  if (existsSync(CODE)) return { codePath: CODE };
  throw new WorkflowsNotBuilt(
    `The workflows are not built in ${CODE}: run \`npm run build\`, or \`npm run setup\` for everything`,
  );
}

/** Behind it stands where the code was built, which says nothing of what it does. */
const SOURCE_MAP = '//# sourceMappingURL=';
const DIGEST_LENGTH = 12;

/** Tells builds of the workflows apart: the same code is the same build, wherever it was built. */
export function buildIdOf({ codePath }: { readonly codePath: string }): string {
  const code = readFileSync(codePath, 'utf8');
  const digest = createHash('sha256')
    .update(code.slice(0, code.lastIndexOf(SOURCE_MAP)))
    .digest('hex');
  const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../package.json'), 'utf8'));
  return `${version}-${digest.slice(0, DIGEST_LENGTH)}`;
}
