import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Teardown } from '../teardown.ts';
import type { Answers, Mode, Scene } from './attacker.ts';
import { attackers } from './attackers.ts';

interface Order {
  readonly name: string;
  readonly mode: Mode;
  readonly scene: Scene;
}

/** Begins an attack in a process of its own, which costs the measuring one nothing; what is returned ends it. */
export async function beginAttack(teardown: Teardown, order: Order): Promise<() => Promise<Answers>> {
  const child = fork(fileURLToPath(import.meta.url), { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  teardown.add(async () => void child.kill('SIGKILL'));
  child.send(order);
  await once(child, 'message');
  return async () => {
    child.send('end');
    const [answers] = await once(child, 'message');
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

if (import.meta.main) {
  process.on('SIGINT', () => {}); // the parent decides in which order things stop
  process.once('disconnect', () => process.exit(0));
  process.once('message', (order) => void attack(order as Order)); // sent above
}
