import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { encryptionKeysOf } from '../../dev/embedded/data-dir.ts';
import { type AuditAction, type Changer, changeLogged } from '../../server/audit-log/audit-log.ts';
import type { Shown } from '../../server/audit-log/redaction.ts';
import type { Config } from '../../server/config.ts';
import { ringAccess } from '../../server/open-ring.ts';
import { wrapAnew } from '../../server/sealing/managed-ring.ts';
import {
  type ColumnCount,
  countKeys,
  databaseNow,
  forgetUnusedKeys,
  keysInUse,
  type Resealing,
  resealAll,
  ringProcesses,
} from '../../server/sealing/re-encrypt.ts';
import type { SecretBox } from '../../server/sealing/secret-box.ts';
import { type OperatorChanger, print, provenBox, readingBox, type WithChanger, type WithDatabase } from './command.ts';

const ASK_AGAIN_MS = 500;
/** A pass leaves rows that others hold; who meets the same ones so often in vain tells of them and gives up. */
const PASSES_MAX = 20;

async function sealingBox({ pool }: OperatorChanger, config: Config): Promise<SecretBox> {
  const client = await pool.connect();
  try {
    return await provenBox(client, config);
  } finally {
    client.release();
  }
}

/** The commands of API keys stand under the same word. */
const keyCommand = (program: Command): Command =>
  program.commands.find((one) => one.name() === 'key') ??
  program.command('key').description('keys of the encryption at rest');

const sum = (counts: readonly ColumnCount[], of: (count: ColumnCount) => number): number =>
  counts.reduce((total, count) => total + of(count), 0);

const unreadableOf = (counts: readonly ColumnCount[]): number => sum(counts, ({ unreadable }) => unreadable.length);

const shown = ({ table, column, keys, sealedAnew, left, unreadable }: ColumnCount) => ({
  table,
  column,
  rows: keys,
  sealed_anew: sealedAnew,
  ...(left === 0 ? {} : { held_by_others: left }),
  ...(unreadable.length === 0 ? {} : { unreadable }),
});

/** Passes until one finds nothing to do; answers the last. */
async function resealUntilDone(resealing: Resealing): Promise<{ counts: ColumnCount[]; since: Date }> {
  for (let passes = 1; ; passes += 1) {
    const since = await databaseNow(resealing.pool);
    const counts = await resealAll(resealing);
    for (const count of counts) if (count.sealedAnew > 0 || passes === 1) print(shown(count));
    const isDone = sum(counts, ({ sealedAnew, left }) => sealedAnew + left) === 0;
    if (isDone || passes >= PASSES_MAX) return { counts, since };
    await sleep(ASK_AGAIN_MS);
  }
}

/** Texts are sealed in many short transactions: entries stand around them, so that one that was broken off shows too. */
const logTo = (changer: Changer) => (action: AuditAction, after: Shown) =>
  changeLogged(changer, (tx) => tx.log({ action, account: null, liveMode: null, object: null, before: null, after }));

async function reEncrypt(changer: OperatorChanger, config: Config): Promise<void> {
  const box = await sealingBox(changer, config);
  const { pool } = changer;
  const resealing = { pool, box };
  const log = logTo(changer);
  const { first } = box.ring;
  await log('encryption.re_encryption_began', { first_key: first.id });
  const { keys } = encryptionKeysOf(config);
  for (const key of await wrapAnew(keys, ringAccess(pool, config))) print({ key, wrapped_anew: true });
  const { counts, since } = await resealUntilDone(resealing);
  const forgotten = await forgetUnusedKeys(pool, { counts, since });
  const inUse = await keysInUse(pool);
  await log('encryption.re_encrypted', { first_key: first.id, in_use: inUse, out_of_use: forgotten });
  const unreadable = unreadableOf(counts);
  const isWhole = unreadable === 0 && sum(counts, ({ left }) => left) === 0;
  const others = (await ringProcesses(pool)).filter(({ firstKey }) => firstKey !== first.id);
  print({
    first_key: first.id,
    in_use: inUse,
    out_of_use: forgotten,
    ...(others.length === 0 ? {} : { seal_with_another: others.map(({ process }) => process) }),
  });
  if (!isWhole || inUse.some((id) => id !== first.id)) process.exitCode = 1;
}

async function showRing({ pool, box }: Resealing): Promise<void> {
  const counts = await countKeys({ pool, box });
  for (const { table, column, keys } of counts) print({ table, column, rows: keys });
  for (const { firstKey, keys, ...rest } of await ringProcesses(pool))
    print({ process: rest.process, first_key: firstKey, keys, seen_seconds_ago: rest.seenSecondsAgo });
  const inUse = await keysInUse(pool);
  const needed = new Set([...inUse, ...counts.flatMap((count) => Object.keys(count.keys))]);
  for (const { id } of box.ring.keys)
    print({ key: id, is_first: id === box.ring.first.id, may_be_removed: !needed.has(id) });
}

export function encryptionCommands(program: Command, withDatabase: WithDatabase, withChanger: WithChanger): void {
  const key = keyCommand(program);
  key
    .command('re-encrypt')
    .description(
      'seal everything that is sealed with another key than the first of ENCRYPTION_KEYS anew, while the service goes on; ' +
        'broken off, run it again. Fails while another key is still in use',
    )
    .action(() => withChanger(reEncrypt));
  key
    .command('ring')
    .description('say which keys of ENCRYPTION_KEYS are in use, by what and by whom, and which may be removed')
    .action(() =>
      withDatabase(async (database, config) =>
        showRing({ pool: database.pool, box: await readingBox(database, config) }),
      ),
    );
}
