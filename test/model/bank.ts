import type {
  Acquirer,
  AcquirerAnswer,
  ChargeRequest,
  Merchant,
  RefundStatus,
} from '../../server/payments/acquirer/port.ts';
import { createSandboxAcquirer } from '../../server/payments/acquirer/sandbox/adapter.ts';
import {
  type BankCall,
  changeBehaviour,
  resetBehaviour,
  type Trouble as SandboxTrouble,
} from '../../server/payments/acquirer/sandbox/behaviour.ts';
import type { TestApi } from '../support/api.ts';
import { CALM, type Trouble, type Weather } from './model.ts';

const SECOND_MS = 1_000;
/** Longer than any charge's deadline. */
const HIDDEN_SECONDS = 3_600;

/** A request on its way; `secondsLater` is the real time that the test let pass meanwhile. */
interface Delayed {
  readonly sentAt: number;
  arrive(secondsLater: number): Promise<unknown>;
}

/** The sandbox bank under a weather: each trouble is met once, by the next such call. */
export class WeatherBank {
  readonly #api: TestApi;
  readonly #accountId: string;
  #sandbox: Acquirer;
  #troubles: { call: BankCall; trouble: Trouble }[] = [];
  #delayed: Delayed[] = [];
  #isChanged = false;
  #passed = 0;
  /** While a deed is done: what had passed when it began, for the deadline in its hands is of then. */
  #passedAtStart: number | null = null;

  constructor(api: TestApi, accountId: string) {
    this.#api = api;
    this.#accountId = accountId;
    this.#sandbox = this.#open();
  }

  async meets(weather: Weather): Promise<void> {
    this.#troubles = [...weather.troubles];
    this.#passedAtStart = this.#passed;
    const { pool } = this.#api.composition.deps;
    const accountId = this.#accountId;
    const set = (call: BankCall, changes: Parameters<typeof changeBehaviour>[1]['changes']) =>
      changeBehaviour(pool, { accountId, call, changes });
    if (weather.hides) await set('findCharge', { not_found_seconds: HIDDEN_SECONDS });
    if (weather.refuses) await Promise.all([set('refundPix', { refuse: 1 }), set('refundCard', { refuse: 1 })]);
    const isChanged = weather.hides === true || weather.refuses === true;
    if (!isChanged && !this.#isChanged) return;
    if (!isChanged) await resetBehaviour(pool, accountId);
    this.#isChanged = isChanged;
    // A bank remembers its settings for a second.
    this.#sandbox = this.#open();
  }

  async recovers(): Promise<void> {
    await this.meets(CALM);
    this.#passedAtStart = null;
  }

  /** Real time that the test let pass: deadlines of requests on their way come nearer with it. */
  passes(seconds: number): void {
    this.#passed += seconds;
  }

  get hasDelayed(): boolean {
    return this.#delayed.length > 0;
  }

  /** What was delayed reaches the bank; nobody hears its answers. */
  async receivesDelayed(): Promise<void> {
    const arriving = this.#delayed;
    this.#delayed = [];
    for (const { sentAt, arrive } of arriving) await arrive(this.#passed - sentAt);
  }

  forget(): void {
    this.#delayed = [];
  }

  #open(): Acquirer {
    const { acquirers, pool } = this.#api.composition.deps;
    const sandbox = createSandboxAcquirer(pool, { before: (call) => this.#next(call) });
    Object.assign(acquirers, { sandbox: this.#withDelays(sandbox) });
    return sandbox;
  }

  #take(call: BankCall, isDelay: boolean): Trouble | undefined {
    const at = this.#troubles.findIndex((each) => each.call === call && (each.trouble === 'delayed') === isDelay);
    return at < 0 ? undefined : this.#troubles.splice(at, 1)[0]?.trouble;
  }

  #next(call: BankCall): SandboxTrouble | undefined {
    const trouble = this.#take(call, false);
    return trouble === 'delayed' ? undefined : trouble;
  }

  #withDelays(sandbox: Acquirer): Acquirer {
    return {
      ...sandbox,
      chargeCard: (merchant, request) =>
        this.#orDelay('chargeCard', {
          now: () =>
            sandbox.chargeCard(merchant, earlier(request, this.#passed - (this.#passedAtStart ?? this.#passed))),
          later: (seconds) => this.#sandbox.chargeCard(merchant, earlier(request, seconds)),
        }),
      refundCard: (merchant, request) =>
        this.#orDelay(
          'refundCard',
          returning(merchant, (of) => this.#sandbox.refundCard(of, request)),
        ),
      refundPix: (merchant, request) =>
        this.#orDelay(
          'refundPix',
          returning(merchant, (of) => this.#sandbox.refundPix(of, request)),
        ),
    };
  }

  async #orDelay<T>(
    call: BankCall,
    send: { now: () => Promise<AcquirerAnswer<T>>; later: (seconds: number) => Promise<unknown> },
  ): Promise<AcquirerAnswer<T>> {
    if (this.#take(call, true) === undefined) return send.now();
    this.#delayed.push({ sentAt: this.#passedAtStart ?? this.#passed, arrive: send.later });
    return { known: false, why: 'timeout' };
  }
}

const earlier = (request: ChargeRequest, seconds: number): ChargeRequest => ({
  ...request,
  deadlineMs: request.deadlineMs - seconds * SECOND_MS,
});

const returning = (merchant: Merchant, send: (merchant: Merchant) => Promise<AcquirerAnswer<RefundStatus>>) => ({
  now: () => send(merchant),
  later: () => send(merchant),
});
