import type pg from 'pg';
import type { Logger } from 'pino';
import type { SecretBox } from '../../db/secret-box.ts';
import { realTime, realTimeMs } from '../../kernel/time.ts';
import { type ApiPixAcquirer, createApiPixAcquirer } from '../acquirer/api-pix/adapter.ts';
import { ApiPixSettings } from '../acquirer/api-pix/settings.ts';
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
  const looks = new Map<string, { readonly row: Promise<LiveAcquirerRow | null>; readonly atMs: number }>();
  const adapters = new Map<string, Kept>();

  const look = (accountId: string): Promise<LiveAcquirerRow | null> => {
    const known = looks.get(accountId);
    const nowMs = realTimeMs();
    if (known !== undefined && nowMs - known.atMs < CACHE_MS) return known.row;
    if (looks.size >= ADAPTERS_MAX) looks.clear();
    const row = readLiveAcquirer(pool, { accountId, method: 'pix' });
    // A fault of the database must not be remembered as an answer.
    row.catch(() => looks.delete(accountId));
    looks.set(accountId, { row, atMs: nowMs });
    return row;
  };

  const retire = (accountId: string): void => {
    const kept = adapters.get(accountId);
    adapters.delete(accountId);
    setTimeout(() => {
      for (const adapter of kept?.adapters ?? [])
        adapter.close().catch((error: unknown) => logger.warn({ err: error }, 'an acquirer was not closed'));
    }, RETIRED_FOR_MS).unref();
  };

  const open = (accountId: string, sealed: unknown): ApiPixAcquirer => {
    const settings = ApiPixSettings.parse(sealed);
    const of = { account: accountId, profile: settings.profile };
    return createApiPixAcquirer(accountId, settings, (refusal) =>
      logger.warn({ ...of, ...refusal }, 'an acquirer did not do what it was asked'),
    );
  };

  const openAll = (accountId: string, row: LiveAcquirerRow): Kept => {
    const { settings, former = [] } = openSettings(secretBox, row);
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
