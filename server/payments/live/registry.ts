import type pg from 'pg';
import type { Logger } from 'pino';
import type { SecretBox } from '../../db/secret-box.ts';
import { briefly } from '../../kernel/brief-cache.ts';
import { realTime } from '../../kernel/time.ts';
import { type ApiPixAcquirer, createApiPixAcquirer } from '../acquirer/api-pix/adapter.ts';
import type { ApiPixSettings } from '../acquirer/api-pix/settings.ts';
import type { LiveAcquirers, PixAcquirer } from '../acquirer/port.ts';
import { withFormer } from './former.ts';
import { type LiveAcquirerRow, openSettings, readLiveAcquirer } from './store.ts';

/** A change is felt within about this, in every process. */
const CACHE_MS = 1_000;
const ADAPTERS_MAX = 1_000;
/** A former adapter ends what it has under way: a call of the port is several of the bank's. */
const RETIRED_FOR_MS = 120_000;

interface Kept {
  readonly acquirer: PixAcquirer;
  readonly adapters: readonly ApiPixAcquirer[];
  readonly settings: Buffer;
}

export interface LiveRegistry extends LiveAcquirers {
  close(): Promise<void>;
}

/** The adapters of the accounts that have configured one, each made once and anew when its settings change. */
export function createLiveRegistry({
  pool,
  secretBox,
  logger,
}: {
  pool: pg.Pool;
  secretBox: SecretBox;
  logger: Logger;
}): LiveRegistry {
  const adapters = new Map<string, Kept>();

  const look = briefly((accountId) => readLiveAcquirer(pool, { accountId, method: 'pix' }), {
    ms: CACHE_MS,
    max: ADAPTERS_MAX,
  });

  const retire = (accountId: string): void => {
    const kept = adapters.get(accountId);
    if (kept === undefined) return;
    adapters.delete(accountId);
    setTimeout(() => {
      for (const adapter of kept.adapters)
        adapter.close().catch((error: unknown) => logger.warn({ err: error }, 'an acquirer was not closed'));
    }, RETIRED_FOR_MS).unref();
  };

  const open = (accountId: string, settings: ApiPixSettings): ApiPixAcquirer => {
    const of = { account: accountId, profile: settings.profile };
    return createApiPixAcquirer(accountId, settings, (refusal) =>
      logger.warn({ ...of, ...refusal }, 'an acquirer did not do what it was asked'),
    );
  };

  const openAll = (accountId: string, row: LiveAcquirerRow): Kept => {
    const { settings, former } = openSettings(secretBox, row);
    const present = open(accountId, settings);
    const standing = former.filter(({ until }) => until > realTime()).map((one) => open(accountId, one.settings));
    const acquirer = standing.length === 0 ? present : withFormer(present, standing);
    return { acquirer, adapters: [present, ...standing], settings: row.settings };
  };

  const pix = async (accountId: string): Promise<PixAcquirer | null> => {
    const row = await look(accountId);
    const kept = adapters.get(accountId);
    if (row !== null && kept?.settings.equals(row.settings)) {
      adapters.delete(accountId); // to the end: the map is in the order of use
      adapters.set(accountId, kept);
      return kept.acquirer;
    }
    retire(accountId);
    if (row === null) return null;
    if (adapters.size >= ADAPTERS_MAX) retire(adapters.keys().next().value ?? '');
    const opened = openAll(accountId, row);
    adapters.set(accountId, opened);
    return opened.acquirer;
  };

  return {
    pix,
    card: async () => null,
    close: async () => {
      const all = [...adapters.values()].flatMap((kept) => kept.adapters);
      await Promise.all(all.map((adapter) => adapter.close()));
    },
  };
}
