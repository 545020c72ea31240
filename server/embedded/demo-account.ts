import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readIfThere, writePrivately } from './files.ts';

const EMAIL = 'demo@fatura.test';
const created = z.object({ id: z.string(), sandbox_key: z.string() });

/** Runs the operator CLI, its output appended to a file that outlives us; throws when it fails. */
export type RunAdmin = (options: { args: string[]; outputFile: string }) => Promise<void>;

export type DemoAccount = {
  /** Null: it was shown by an earlier start, or lost with one that was killed. */
  sandboxKey: string | null;
  /** To be called once the key stands on the screen; until then each start shows it again. */
  markShown(): void;
};

/**
 * The account of an empty data directory, made once however often starts are killed in between: the CLI writes
 * into a file, so what a killed start did not read the next one does; where even that file stayed empty, the list
 * of accounts tells whether it was made.
 */
export async function ensureDemoAccount(dataDir: string, runAdmin: RunAdmin): Promise<DemoAccount> {
  const marker = join(dataDir, 'demo-account.json');
  const output = join(dataDir, 'demo-account.new');
  if (existsSync(marker)) return { sandboxKey: null, markShown: () => {} };
  const hasBegun = existsSync(output);
  if (!readCreated(output) && !(hasBegun && (await isListed(dataDir, runAdmin)))) {
    await runAdmin({ args: ['account', 'create', '--name', 'Loja Demo', '--email', EMAIL], outputFile: output });
    if (!readCreated(output))
      throw new Error(`The demo account was not made; the operator CLI said:\n${readIfThere(output)}`);
  }
  const account = readCreated(output);
  return {
    sandboxKey: account?.sandbox_key ?? null,
    markShown: () => {
      writePrivately(marker, `${JSON.stringify({ id: account?.id ?? null, email: EMAIL })}\n`);
      rmSync(output, { force: true });
    },
  };
}

async function isListed(dataDir: string, runAdmin: RunAdmin): Promise<boolean> {
  const outputFile = join(dataDir, 'demo-account.list');
  rmSync(outputFile, { force: true });
  await runAdmin({ args: ['account', 'list'], outputFile });
  const list = readIfThere(outputFile) ?? '';
  rmSync(outputFile, { force: true });
  return list.includes(EMAIL);
}

function readCreated(path: string): z.infer<typeof created> | null {
  for (const line of readIfThere(path)?.split('\n') ?? []) {
    if (!line.startsWith('{')) continue;
    try {
      const parsed = created.safeParse(JSON.parse(line));
      if (parsed.success) return parsed.data;
    } catch {} // a line that a killed CLI did not finish
  }
  return null;
}
