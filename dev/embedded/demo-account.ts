import { join } from 'node:path';
import { z } from 'zod';
import { readIfThere, writePrivately } from './files.ts';

const EMAIL = 'demo@fatura.test';
const created = z.object({ id: z.string(), sandbox_key: z.string() });
const listed = z.object({ id: z.string(), email: z.string() });
const person = z.object({ is_set_up: z.boolean() });
const invited = z.object({ link: z.string() });
/** `begun`: the account was asked for. The key stands here only until somebody saw it. */
const memory = z.object({
  begun: z.literal(true).optional(),
  sandboxKey: z.string().optional(),
  account: z.string().optional(),
  /** Somebody is set up in the dashboard. */
  hasPeople: z.literal(true).optional(),
});
type Memory = z.infer<typeof memory>;

/** Runs the operator CLI with these arguments and resolves to what it prints; throws when it fails. */
export type RunAdmin = (...args: string[]) => Promise<string>;

export type DemoAccount = {
  /** Null: it was shown by an earlier start, or lost with one that was killed. */
  sandboxKey: string | null;
  /** To be called once the key stands on the screen; until then each start shows it again. */
  markShown(): void;
  /** By which the first person of the dashboard sets up how they sign in; null: somebody has. */
  setUpLink: string | null;
};

/** The JSON objects that an operator's command printed, one a line. */
const objectsOf = (output: string): unknown[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

/** The account of an empty data directory, made once however often starts are killed in between. */
export async function ensureDemoAccount(dataDir: string, runAdmin: RunAdmin): Promise<DemoAccount> {
  const file = join(dataDir, 'demo-account.json');
  const remember = (what: Memory) => writePrivately(file, `${JSON.stringify(what)}\n`);
  const text = readIfThere(file);
  const kept = memory.parse(JSON.parse(text ?? '{"begun":true}'));
  const account = kept.account ?? (text === null ? null : await findDemo(runAdmin));
  const made = account === null && kept.begun ? await makeDemo(runAdmin, remember) : null;
  const { id = account, sandbox_key: sandboxKey = kept.sandboxKey ?? null } = made ?? {};
  // Somebody gave it another address: it is theirs.
  if (id === null) return { sandboxKey, markShown: () => remember({}), setUpLink: null };
  const setUpLink = kept.hasPeople ? null : await firstLink(id, runAdmin);
  const known = { account: id, ...(setUpLink === null && { hasPeople: true as const }) };
  remember({ ...known, ...(sandboxKey !== null && { sandboxKey }) });
  return { sandboxKey, markShown: () => remember(known), setUpLink };
}

async function makeDemo(runAdmin: RunAdmin, remember: (what: Memory) => void): Promise<z.infer<typeof created>> {
  // What a killed start asked for may have been made, its key lost: the next looks for it.
  remember({ begun: true });
  const output = await runAdmin('account', 'create', '--name', 'Loja Demo', '--email', EMAIL);
  const [made] = objectsOf(output);
  if (made === undefined) throw new Error(`The demo account was not made; the operator CLI said:\n${output}`);
  return created.parse(made);
}

async function findDemo(runAdmin: RunAdmin): Promise<string | null> {
  const accounts = objectsOf(await runAdmin('account', 'list')).map((line) => listed.parse(line));
  return accounts.find(({ email }) => email === EMAIL)?.id ?? null;
}

/** A link of this start for the first person of an account: the one that an earlier start printed ends with it. */
async function firstLink(account: string, runAdmin: RunAdmin): Promise<string | null> {
  const people = objectsOf(await runAdmin('staff', 'list', account)).map((line) => person.parse(line));
  if (people.some(({ is_set_up: isSetUp }) => isSetUp)) return null;
  const of = ['--account', account, '--email', EMAIL, '--role', 'owner'];
  const [made] = objectsOf(await runAdmin('staff', 'invite', ...of));
  return invited.parse(made).link;
}
