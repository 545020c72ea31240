import { join } from 'node:path';
import { z } from 'zod';
import { readIfThere, writePrivately } from './files.ts';

const EMAIL = 'demo@fatura.test';
const created = z.object({ sandbox_key: z.string() });
/** `begun`: the account was asked for. The key stands here only until somebody saw it. */
const memory = z.object({ begun: z.literal(true).optional(), sandboxKey: z.string().optional() });

/** Runs the operator CLI with these arguments and resolves to what it prints; throws when it fails. */
export type RunAdmin = (...args: string[]) => Promise<string>;

export type DemoAccount = {
  /** Null: it was shown by an earlier start, or lost with one that was killed. */
  sandboxKey: string | null;
  /** To be called once the key stands on the screen; until then each start shows it again. */
  markShown(): void;
};

/** The account of an empty data directory, made once however often starts are killed in between. */
export async function ensureDemoAccount(dataDir: string, runAdmin: RunAdmin): Promise<DemoAccount> {
  const file = join(dataDir, 'demo-account.json');
  const remember = (what: z.infer<typeof memory>) => writePrivately(file, `${JSON.stringify(what)}\n`);
  const kept = memory.parse(JSON.parse(readIfThere(file) ?? '{"begun":true}'));
  const markShown = () => remember({});
  if (!kept.begun) return { sandboxKey: kept.sandboxKey ?? null, markShown };
  // What a killed start asked for may have been made, its key lost.
  if (readIfThere(file) !== null && (await runAdmin('account', 'list')).includes(EMAIL)) {
    return { sandboxKey: null, markShown };
  }
  remember({ begun: true });
  const output = await runAdmin('account', 'create', '--name', 'Loja Demo', '--email', EMAIL);
  const line = output.split('\n').find((candidate) => candidate.startsWith('{'));
  if (line === undefined) throw new Error(`The demo account was not made; the operator CLI said:\n${output}`);
  const { sandbox_key: sandboxKey } = created.parse(JSON.parse(line));
  remember({ sandboxKey });
  return { sandboxKey, markShown };
}
