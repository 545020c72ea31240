import type pg from 'pg';
import type { Logger } from 'pino';
import { type AlarmTools, alarmEvery } from '../../kernel/alarms.ts';
import { briefly } from '../../kernel/brief-cache.ts';
import { ChargeRate } from '../../kernel/charge-rate.ts';
import { HOUR, realTime, realTimeMs, SECOND_MS } from '../../kernel/time.ts';
import type { SecretBox } from '../../sealing/secret-box.ts';
import type { AcquirerHalves, LiveAcquirers, Method } from '../acquirer/port.ts';
import type { LiveAdapter, LiveMethod, RefusedCall } from './method.ts';
import { liveMethods, methods } from './methods.ts';
import { type LiveAcquirerRow, openSettings, readLiveAcquirer } from './store.ts';

/** A change is felt within about this, in every process. */
const CACHE_MS = 1_000;
const ADAPTERS_MAX = 1_000;
/** A former adapter ends what it has in flight: a call of the port is several of the bank's. */
const RETIRED_FOR_MS = 120_000;

interface RegistryTools extends Pick<AlarmTools, 'metrics'> {
  readonly pool: pg.Pool;
  readonly secretBox: SecretBox;
  readonly logger: Logger;
}

interface Kept<M extends Method> {
  readonly adapter: LiveAdapter<M>;
  readonly settings: Buffer;
}

/** The adapters of the accounts that have configured one for a method, each made once and anew when its settings change. */
class Adapters<M extends Method> {
  readonly #method: M;
  readonly #tools: RegistryTools;
  /** In the order of use. */
  readonly #kept = new Map<string, Kept<M>>();
  readonly #look: (accountId: string) => Promise<LiveAcquirerRow | null>;

  constructor(method: M, tools: RegistryTools) {
    this.#method = method;
    this.#tools = tools;
    this.#look = briefly((accountId) => readLiveAcquirer(tools.pool, { accountId, method }), {
      ms: CACHE_MS,
      max: ADAPTERS_MAX,
    });
  }

  async of(accountId: string): Promise<AcquirerHalves[M] | null> {
    const live: LiveMethod<M> | null = liveMethods[this.#method];
    if (live === null) return null;
    const row = await this.#look(accountId);
    const kept = this.#kept.get(accountId);
    if (row !== null && kept?.settings.equals(row.settings)) {
      this.#kept.delete(accountId);
      this.#kept.set(accountId, kept);
      return kept.adapter;
    }
    this.#retire(accountId);
    if (row === null) return null;
    if (this.#kept.size >= ADAPTERS_MAX) this.#retire(this.#kept.keys().next().value ?? '');
    const adapter = this.#open(live, row);
    this.#kept.set(accountId, { adapter, settings: row.settings });
    return adapter;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kept.values()].map(({ adapter }) => adapter.close()));
  }

  #open(live: LiveMethod<M>, row: LiveAcquirerRow): LiveAdapter<M> {
    const { secretBox, logger } = this.#tools;
    const { accountId: account } = row;
    const { settings, former } = openSettings(secretBox, row);
    const standing = former.filter(({ until }) => until > realTime()).map((one) => one.settings);
    const alarm = alarmEvery(HOUR * SECOND_MS, this.#tools, 'acquirer_key_refused');
    const rate = new ChargeRate(settings.chargesPerSecond, realTimeMs);
    const onRefusal = ({ isKeyRefused, slowDownSeconds, ...refused }: RefusedCall): void => {
      const slowed = slowDownSeconds === null ? {} : { chargesPerSecond: rate.halve(slowDownSeconds) };
      logger.warn({ account, ...refused, ...slowed }, 'an acquirer did not do what it was asked');
      if (isKeyRefused) alarm({ account, ...refused, message: 'an acquirer does not take the key of an account' });
    };
    return Object.assign(live.open(account, { settings, former: standing }, onRefusal), { rate });
  }

  #retire(accountId: string): void {
    const kept = this.#kept.get(accountId);
    if (kept === undefined) return;
    this.#kept.delete(accountId);
    setTimeout(() => {
      kept.adapter
        .close()
        .catch((error: unknown) => this.#tools.logger.warn({ err: error }, 'an acquirer was not closed'));
    }, RETIRED_FOR_MS).unref();
  }
}

export interface LiveRegistry extends LiveAcquirers {
  close(): Promise<void>;
}

/** The acquirers of every account and method. */
export function createLiveRegistry(tools: RegistryTools): LiveRegistry {
  const all = methods.map((method) => [method, new Adapters(method, tools)] as const);
  const byMethod = Object.fromEntries(all.map(([method, adapters]) => [method, (id: string) => adapters.of(id)]));
  return {
    ...(byMethod as unknown as LiveAcquirers), // one of each method, which fromEntries forgets
    close: async () => void (await Promise.all(all.map(([, adapters]) => adapters.close()))),
  };
}
