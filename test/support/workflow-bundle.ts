import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker';
import { inject } from 'vitest';
import { FAILURE_CONVERTER } from '../../workflows/temporal.ts';

/** The workflows for every worker of a run: the first that needs them leaves them to the others. */
export async function workflowBundle(): Promise<WorkflowBundleOption> {
  const codePath = join(inject('runFolder'), 'workflows.js');
  if (!existsSync(codePath)) {
    const workflowsPath = new URL('../../workflows/workflows.ts', import.meta.url).pathname;
    const { code } = await bundleWorkflowCode({ workflowsPath, failureConverterPath: FAILURE_CONVERTER });
    // Another worker may do the same: the file is there whole or not at all.
    const written = `${codePath}.${process.pid}`;
    writeFileSync(written, code);
    renameSync(written, codePath);
  }
  return { codePath };
}
