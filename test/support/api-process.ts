import { randomUUID } from 'node:crypto';
import { enableCompileCache, flushCompileCache } from 'node:module';
import type { PlainCase } from '../../workflows/steps.ts';
import type { FailpointName } from './failpoints.ts';

// Only a program that ends by itself writes its cache; these are killed.
enableCompileCache();

const { pino } = await import('pino');
const { createApp } = await import('../../server/app.ts');
const { compose } = await import('../../server/compose.ts');
const { ringOf } = await import('../../server/kernel/key-ring.ts');
const { createReadiness } = await import('../../server/http/readiness.ts');
const { createHttpServer } = await import('../../server/http/http-server.ts');
const { caseSteps } = await import('../../workflows/steps.ts');
const { performExpiry } = await import('../../server/checkout/expire.ts');
const { workFor } = await import('../../server/admission/tenant.ts');
const { systemClock } = await import('../../server/kernel/time.ts');
const { loginUrls } = await import('../../dev/embedded/postgres-logins.ts');
const { reportSteps } = await import('./failpoints.ts');
const { asApi, takeRoles } = await import('./roles.ts');

interface Trap {
  readonly kind: 'die' | 'tell' | 'hold';
  readonly failpoint: FailpointName;
  /** It springs when the step is reached for the n-th time. */
  readonly countdown: number;
  /** Whether those who reach the step earlier wait there for ever, instead of going on. */
  readonly parks: boolean;
}

type Command =
  | Trap
  | { readonly kind: 'release'; readonly failpoint: FailpointName }
  | { readonly kind: 'step'; readonly of: PlainCase; readonly key: string }
  | { readonly kind: 'expiry'; readonly session: string };

/** What a test tells this process to do; each order is answered with its id. */
export interface Order {
  readonly id: string;
  readonly command: Command;
}

/** What this process tells its test. */
export type Report =
  | { readonly kind: 'ready'; readonly port: number }
  | { readonly kind: 'done'; readonly id: string; readonly result: unknown }
  | { readonly kind: 'failed'; readonly id: string; readonly message: string }
  | { readonly kind: 'reached'; readonly failpoint: FailpointName };

const traps = new Map<string, { trap: Trap; left: number }>();
const held = new Map<string, () => void>();

async function failpoint(name: FailpointName): Promise<void> {
  const set = traps.get(name);
  if (set === undefined) return;
  set.left -= 1;
  if (set.left > 0) return set.trap.parks ? never() : undefined;
  traps.delete(name);
  if (set.trap.kind === 'die') {
    process.kill(process.pid, 'SIGKILL');
    return never();
  }
  const released = set.trap.kind === 'hold' ? new Promise<void>((go) => held.set(name, go)) : undefined;
  report({ kind: 'reached', failpoint: name });
  return released;
}

const never = (): Promise<void> => new Promise(() => {});

function report(what: Report): void {
  process.send?.(what);
}

const {
  DATABASE_URL: databaseUrl = '',
  ENCRYPTION_KEYS: encryptionKeys = '',
  SECONDS_BEHIND: behind = '0',
} = process.env;
const logger = pino({ level: process.env.LOG_LEVEL ?? 'silent', base: { api: randomUUID().slice(0, 8) } });
const { deps } = await compose({
  databaseUrl: loginUrls(databaseUrl).api,
  keyRing: ringOf(encryptionKeys),
  publicUrl: 'http://127.0.0.1:3000',
  sharedByAccounts: true,
  trustProxy: 0,
  rateLimit: { sandboxPerSecond: 25, livePerSecond: 100 },
  webhookAllowedNetworks: [],
  logger,
  clock: { now: (at) => systemClock.now(at) - Number(behind), real: () => systemClock.real() - Number(behind) },
});
reportSteps(deps, failpoint);
await takeRoles(deps.pool, databaseUrl);
const app = createApp(deps, { readiness: createReadiness(deps.pool, deps.settings) });
const { server } = createHttpServer((request, response) => asApi(() => app(request, response)), deps);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') process.exit(1);
  report({ kind: 'ready', port: address.port });
  flushCompileCache();
});

/** What a worker does has more connections there than the few that an API keeps for itself. */
const THE_WORKER = 'worker';

async function obey({ command }: Order): Promise<unknown> {
  if (command.kind === 'step') return workFor(THE_WORKER, () => caseSteps[command.of](deps, command.key));
  if (command.kind === 'expiry') return workFor(THE_WORKER, () => performExpiry(deps, command.session));
  if (command.kind === 'release') return held.get(command.failpoint)?.();
  traps.set(command.failpoint, { trap: command, left: command.countdown });
}

process.on('message', (order: Order) => {
  obey(order).then(
    (result) => report({ kind: 'done', id: order.id, result }),
    (error: unknown) => report({ kind: 'failed', id: order.id, message: String(error) }),
  );
});
// The test is gone, even by a kill that it could not answer.
process.once('disconnect', () => process.exit(0));
