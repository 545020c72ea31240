import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { ExpiryOutcome } from '../../server/checkout/expire.ts';
import type { CaseStep } from '../../server/kernel/case-step.ts';
import type { PlainCase } from '../../workflows/steps.ts';
import type { Order, Report } from '../support/api-process.ts';
import type { FailpointName } from '../support/failpoints.ts';

const ENTRY = resolve(import.meta.dirname, '../support/api-process.ts');

/** One API process; it is killed without warning, and another takes its place. */
export interface ApiProcess {
  readonly baseUrl: string;
  /** The signal that ended it, once it has ended. */
  readonly ended: Promise<NodeJS.Signals | null>;
  readonly isAlive: boolean;
  /** It kills itself when the named step is reached for the n-th time; who reaches it before waits there, or goes on. */
  dieAt(failpoint: FailpointName, options: { countdown: number; parks: boolean }): Promise<void>;
  /** `reached` resolves when the named step is reached for the n-th time. */
  watch(failpoint: FailpointName, countdown: number): Promise<{ reached: Promise<void> }>;
  /** Who reaches the named step next waits there until it is released. */
  holdAt(failpoint: FailpointName): Promise<{ reached: Promise<void>; release: () => Promise<unknown> }>;
  /** Runs a step of a case there. */
  step(kind: PlainCase, key: string): Promise<CaseStep>;
  /** Decides there on a session that came to its deadline, as the run does. */
  expire(session: string): Promise<ExpiryOutcome>;
  kill9(): Promise<void>;
}

export interface Served {
  readonly databaseUrl: string;
  readonly encryptionKey: Uint8Array;
  /** How late its clock is: what it makes has been there for so long. */
  readonly secondsBehind?: number;
}

class Child implements ApiProcess {
  readonly ended: Promise<NodeJS.Signals | null>;
  baseUrl = '';
  isAlive = true;
  readonly #child: ChildProcess;
  readonly #answers = new Map<string, PromiseWithResolvers<unknown>>();
  readonly #reached = new Map<string, () => void>();
  readonly #ready = Promise.withResolvers<void>();

  constructor({ databaseUrl, encryptionKey, secondsBehind = 0 }: Served) {
    const env = {
      ...process.env,
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      ENCRYPTION_KEYS: Buffer.from(encryptionKey).toString('base64'),
      SECONDS_BEHIND: String(secondsBehind),
    };
    this.#child = fork(ENTRY, { env, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#child.on('message', (report: Report) => this.#hear(report));
    this.ended = new Promise((end) => {
      this.#child.once('exit', (code, signal) => {
        this.#bury(new Error(`the API process ended with ${signal ?? code}`));
        end(signal);
      });
    });
  }

  async ready(): Promise<this> {
    await this.#ready.promise;
    return this;
  }

  async dieAt(failpoint: FailpointName, options: { countdown: number; parks: boolean }): Promise<void> {
    await this.#order({ kind: 'die', failpoint, ...options });
  }

  async watch(failpoint: FailpointName, countdown: number): Promise<{ reached: Promise<void> }> {
    const reached = new Promise<void>((resolve) => this.#reached.set(failpoint, resolve));
    await this.#order({ kind: 'tell', failpoint, countdown, parks: false });
    return { reached };
  }

  async holdAt(failpoint: FailpointName): Promise<{ reached: Promise<void>; release: () => Promise<unknown> }> {
    const reached = new Promise<void>((resolve) => this.#reached.set(failpoint, resolve));
    await this.#order({ kind: 'hold', failpoint, countdown: 1, parks: false });
    return { reached, release: () => this.#order({ kind: 'release', failpoint }) };
  }

  async step(kind: PlainCase, key: string): Promise<CaseStep> {
    // The entry answers a step with what its case answered.
    return (await this.#order({ kind: 'step', of: kind, key })) as CaseStep;
  }

  async expire(session: string): Promise<ExpiryOutcome> {
    return (await this.#order({ kind: 'expiry', session })) as ExpiryOutcome; // what the run answered
  }

  async kill9(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  #order(command: Order['command']): Promise<unknown> {
    const id = randomUUID();
    const answer = Promise.withResolvers<unknown>();
    this.#answers.set(id, answer);
    this.#child.send({ id, command } satisfies Order);
    return answer.promise;
  }

  #hear(report: Report): void {
    if (report.kind === 'ready') {
      this.baseUrl = `http://127.0.0.1:${report.port}`;
      this.#ready.resolve();
    } else if (report.kind === 'reached') this.#reached.get(report.failpoint)?.();
    else if (report.kind === 'done') this.#answers.get(report.id)?.resolve(report.result);
    else this.#answers.get(report.id)?.reject(new Error(report.message));
  }

  #bury(why: Error): void {
    this.isAlive = false;
    this.#ready.reject(why);
    for (const answer of this.#answers.values()) answer.reject(why);
  }
}

export const startApiProcess = (served: Served): Promise<ApiProcess> => new Child(served).ready();

/** Started ahead, so that a restart costs a cell no waiting. */
const SPARES = 1;

/** API processes of one database: a fresh one is ready where another was killed. */
export class ApiProcesses {
  readonly #served: Served;
  readonly #alive = new Set<Child>();
  readonly #idle: ApiProcess[] = [];
  readonly #waiting: PromiseWithResolvers<ApiProcess>[] = [];
  #starting = 0;
  #isOver = false;

  constructor(served: Served) {
    this.#served = served;
    this.#stockUp();
  }

  take(): Promise<ApiProcess> {
    const wanted = Promise.withResolvers<ApiProcess>();
    this.#waiting.push(wanted);
    this.#handOut();
    return wanted.promise;
  }

  giveBack(process: ApiProcess): void {
    if (process.isAlive) this.#idle.push(process);
    this.#handOut();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#alive].map((process) => process.kill9()));
  }

  #handOut(): void {
    while (this.#idle.length > 0) {
      const wanted = this.#waiting.shift();
      const process = wanted === undefined ? undefined : this.#idle.shift();
      if (process === undefined) break;
      wanted?.resolve(process);
    }
    this.#stockUp();
  }

  #stockUp(): void {
    const missing = SPARES + this.#waiting.length - this.#idle.length - this.#starting;
    for (let started = 0; started < missing && !this.#isOver; started += 1) this.#start();
  }

  #start(): void {
    this.#starting += 1;
    const process = new Child(this.#served);
    this.#alive.add(process);
    process.ended.then(() => this.#alive.delete(process));
    process
      .ready()
      .finally(() => {
        this.#starting -= 1;
      })
      .then(
        () => this.giveBack(process),
        (error: unknown) => this.#waiting.shift()?.reject(error),
      );
  }
}
