import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Teardown } from '../teardown.ts';
import type { Answers, Mode, Scene } from './attacker.ts';
import { attackers } from './attackers.ts';

const AUTOGROUP = '/proc/self/autogroup';

interface Order {
  readonly name: string;
  readonly mode: Mode;
  readonly scene: Scene;
}

/** What a process tells next; one that ended tells nothing any more. */
async function nextOf(child: ChildProcess, name: string): Promise<unknown> {
  const told = new AbortController();
  const { signal } = told;
  const exit = child.exitCode === null ? once(child, 'exit', { signal }) : Promise.resolve([child.exitCode]);
  const ended = exit.then(([code]) => {
    throw new Error(`the attacker "${name}" ended with ${code}`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), ended]);
    return message;
  } finally {
    told.abort();
  }
}

/** Begins an attack in a process of its own, which costs the measuring one nothing; what is returned ends it. */
export async function beginAttack(teardown: Teardown, order: Order): Promise<() => Promise<Answers>> {
  const child = fork(fileURLToPath(import.meta.url), {
    execArgv: [],
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  teardown.add(async () => void child.kill('SIGKILL'));
  child.send(order);
  await nextOf(child, order.name);
  return async () => {
    child.send('end');
    const answers = await nextOf(child, order.name);
    child.disconnect();
    return answers as Answers; // what this file sends at the end
  };
}

async function attack({ name, mode, scene }: Order): Promise<void> {
  const attacker = attackers.find((one) => one.name === name);
  if (attacker === undefined) throw new Error(`no such attacker: ${name}`);
  const end = await attacker.start(scene, mode);
  process.send?.('begun');
  await once(process, 'message');
  process.send?.(await end());
}

/** On a machine of its own an attacker takes no time from the service: here it has what that leaves. */
function yieldToService(): void {
  setPriority(constants.priority.PRIORITY_LOW);
  // Where the kernel shares the time between sessions, a priority holds within one alone.
  if (existsSync(AUTOGROUP)) writeFileSync(AUTOGROUP, String(constants.priority.PRIORITY_LOW));
}

if (import.meta.main) {
  yieldToService();
  process.once('disconnect', () => process.exit(0));
  process.once('message', (order) => void attack(order as Order)); // sent above
}
