import type pg from 'pg';
import { acrossAccounts, run, type Statement } from '../db/statement.ts';
import { type AlarmTools, raiseAlarm } from '../kernel/alarms.ts';
import { FairSemaphore, type Release } from '../kernel/fair-semaphore.ts';
import { isLive, type Mode } from '../kernel/mode.ts';
import { type RunShard, rowShards, WHOLE } from '../kernel/shards.ts';
import { type Clock, realTimeMs, SECOND_MS, type Timestamp } from '../kernel/time.ts';
import type { Tracing } from '../kernel/tracing.ts';
import { askingInTurn, RoundRobin } from './round-robin.ts';
import type { TokenBucket } from './token-bucket.ts';

/** Rows that a run takes at once from the database, and of one account. */
const BATCH_MAX = 1_000;
const SHARE_MAX = 200;
/** Charges wait for the acquirer without a connection; the database's pool bounds the rest. */
export const CHARGES_AT_ONCE = 320;
/** One account has seven of eight, so that another finds room at once though everything of the first hangs. */
const SHARE_OF_ONE = 7 / 8;

/** Permits to work on what is due; runs that share them together do no more at once. */
export const permitsFor = (atOnce = CHARGES_AT_ONCE): FairSemaphore =>
  new FairSemaphore({ total: atOnce, each: Math.ceil(atOnce * SHARE_OF_ONE) });

/** What is left then is done by the next run; of a shard sooner, where fewer runs have room at once than there are shards. Milliseconds. */
const RUN_MAX_MS = 20 * 60 * SECOND_MS;
const SHARD_RUN_MAX_MS = 60 * SECOND_MS;
/** Rows of a kind that a pass remembers; then another one begins. */
const PASS_MAX = 100_000;
/** Then the next kind has its turn, however much of this one is left. Milliseconds. */
const STAGE_MAX_MS = 5 * SECOND_MS;
/** While work is in flight and nothing else is due, it is looked for no more often. Milliseconds. */
const LOOK_AGAIN_MS = SECOND_MS;
/** A pass may make more due: cycles that an outage left out, one after the other. */
const PASSES_MAX = 1_000;

/** A row that is due, since when in real time, and whose it is. `asks`: what its work asks outside, whose rate bounds it; null: nothing. */
export interface DueRow {
  readonly id: string;
  readonly wakeAt: Timestamp;
  readonly accountId: string;
  readonly asks?: string | null;
}

/** Rows that fall due, and the use case that does what is due of one and answers what it came to. */
export interface DueWork {
  /** Takes the places of `DUE_PLACES`, and answers rows account by account behind `after`. */
  readonly claim: Statement<DueRow>;
  readonly perform: (id: string) => Promise<string>;
  /** The token bucket of what the row asks; null, or absent: its rate has no bound. */
  readonly bucketOf?: (row: DueRow) => Promise<TokenBucket | null> | null;
}

/** What a run needs of the composition. */
export interface DueTools extends AlarmTools {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly tracing: Tracing;
}

/** SQL: behind the last row of its account that the run has taken, as `:asked` says by account. */
const behindLast = (account: string, row: string): string =>
  `${row} > (coalesce((:asked::jsonb -> ${account} ->> 'wakeAt')::bigint, ${Number.MIN_SAFE_INTEGER}), coalesce(:asked::jsonb -> ${account} ->> 'id', ''))
   AND NOT ${account} = ANY (:except::text[])`;

/** SQL: of the rows of a run's shard. */
const inShard = (shard: string): string => `${shard} BETWEEN :firstShard::smallint AND :lastShard::smallint`;

/**
 * The rows of a table that are due by their `wake_at`, those of one account after those of another: its index by mode, account
 * and instant is stepped through, so that a million rows of one account delay no other. The index ends with the shard, so rows
 * of other shards are passed over within the index. `also`: a condition over `t`; `asks`: what the row asks, over `t`.
 */
export const dueInTurn = (
  name: string,
  { table, also = 'true', asks = 'NULL::text' }: { table: string; also?: string; asks?: string },
) =>
  acrossAccounts<DueRow>(
    name,
    `WITH RECURSIVE ${askingInTurn({ table, column: 'account_id', which: 'n.live_mode = :liveMode AND n.wake_at IS NOT NULL' })}
     SELECT d.id, d.wake_at AS "wakeAt", asking.id AS "accountId", d.asks FROM asking, LATERAL (
       SELECT t.id, t.wake_at, ${asks} AS asks FROM ${table} t WHERE t.live_mode = :liveMode AND t.account_id = asking.id AND t.wake_at <= :now AND ${inShard('t.shard')}
         AND ${behindLast('asking.id', '(t.wake_at, t.id)')} AND ${also} ORDER BY t.wake_at, t.id LIMIT :share) d
     LIMIT :max`,
  );

/** The same of the few rows of a query that says their `id`, `account_id`, `live_mode` and `wake_at`. */
export const dueOf = (name: string, query: string) =>
  acrossAccounts<DueRow>(
    name,
    `SELECT d.id, d.wake_at AS "wakeAt", d.account_id AS "accountId" FROM (
       SELECT t.*, row_number() OVER (PARTITION BY t.account_id ORDER BY t.wake_at, t.id) AS turn FROM (${query}) t
       WHERE t.live_mode = :liveMode AND t.wake_at <= :now AND t.account_id > :after AND ${inShard('fatura_shard(t.id)')} AND ${behindLast('t.account_id', '(t.wake_at, t.id)')}
     ) d WHERE d.turn <= :share ORDER BY d.account_id, d.wake_at, d.id LIMIT :max`,
  );

/** Answers that say that nothing was done. */
const UNDONE: readonly string[] = ['not_due', 'postponed', 'failed'];

/** How often each thing was come to; `due` is how many there were to do. */
export type DueCounts = { due: number } & Record<string, number>;

export interface DueRun {
  readonly mode: Mode;
  /** Absent: all rows. */
  readonly runShard?: RunShard;
  /** Called as long as the run is at work. */
  readonly told: () => void;
  /** What the shards that a worker has at once share; absent: the run has its own. */
  readonly permits?: FairSemaphore;
}

/** How far a pass came with one kind. */
class Progress {
  readonly roundRobin = new RoundRobin();
  readonly asked = new Map<string, Pick<DueRow, 'id' | 'wakeAt'>>();
  /** What was done in this pass is done again in the next one, behind the kinds that come before. */
  readonly seen = new Set<string>();
  isOver = false;

  /** A row that was taken and not begun is found again. */
  giveBack({ accountId, id }: DueRow): void {
    this.asked.delete(accountId);
    this.seen.delete(id);
  }
}

/**
 * Does everything of these kinds that is due in a mode, in passes over the kinds in their order, until a pass finds nothing to
 * do. Accounts take turns, and so do kinds of which much is due.
 */
export async function runDue(tools: DueTools, options: DueRun, kinds: readonly DueWork[]): Promise<DueCounts> {
  const work = new Run(tools, options);
  for (let pass = 0; pass < PASSES_MAX && !work.isLate; pass += 1) {
    const stages = kinds.map((kind) => ({ kind, progress: new Progress() }));
    let isDone = false;
    while (!work.isLate && stages.some(({ progress }) => !progress.isOver)) {
      for (const { kind, progress } of stages)
        if (!progress.isOver && (await work.stage(kind, progress))) isDone = true;
    }
    if (!isDone) break;
  }
  return work.counts;
}

class Run {
  readonly counts: DueCounts = { due: 0 };
  readonly #tools: DueTools;
  readonly #options: DueRun;
  readonly #permits: FairSemaphore;
  readonly #endsAtMs: number;
  /** One that failed is the next run's: later passes would fail with it again, and say so each time. */
  readonly #failed = new Set<string>();

  constructor(tools: DueTools, options: DueRun) {
    this.#tools = tools;
    this.#options = options;
    this.#permits = options.permits ?? permitsFor();
    const { of } = options.runShard ?? WHOLE;
    this.#endsAtMs = realTimeMs() + (of === 1 ? RUN_MAX_MS : SHARD_RUN_MAX_MS);
  }

  get isLate(): boolean {
    return realTimeMs() >= this.#endsAtMs;
  }

  /** Works on one kind until nothing of it is left or the next has its turn; answers whether anything was done. */
  async stage(kind: DueWork, progress: Progress): Promise<boolean> {
    const endsAtMs = Math.min(realTimeMs() + STAGE_MAX_MS, this.#endsAtMs);
    const inFlight = new Set<Promise<void>>();
    const waiting = new Map<string, number>();
    let isDone = false;
    const work = async (row: DueRow): Promise<void> => {
      const { accountId, id } = row;
      const end = await this.#permit(kind, { row, untilMs: endsAtMs });
      const left = (waiting.get(accountId) ?? 0) - 1;
      if (left > 0) waiting.set(accountId, left);
      else waiting.delete(accountId);
      if (end === null) progress.giveBack(row);
      else if (await this.#perform(kind, id).finally(end)) isDone = true;
    };
    const begin = (row: DueRow): void => {
      waiting.set(row.accountId, (waiting.get(row.accountId) ?? 0) + 1);
      const done = work(row).finally(() => inFlight.delete(done));
      inFlight.add(done);
    };
    let looksAtMs = 0;
    let passedOver = 0;
    let pause: Promise<void> | null = null;
    for (;;) {
      const nowMs = realTimeMs();
      // Behind other shards that took every permit, rows of this one wait for their turn.
      const hasRoom = this.#permits.hasRoom || inFlight.size === 0;
      // What was taken is done, so that the next stage may go on behind it.
      const mayFind = nowMs >= looksAtMs || waiting.size < passedOver;
      if (nowMs < endsAtMs && hasRoom && mayFind && progress.seen.size < PASS_MAX) {
        passedOver = waiting.size;
        const found = await this.#claim(kind, { progress, except: [...waiting.keys()] });
        found.fresh.forEach(begin);
        // A permit that is there is taken before more is claimed.
        await null;
        if (found.hasMore) continue;
        progress.isOver = inFlight.size === 0;
        looksAtMs = nowMs + LOOK_AGAIN_MS;
      }
      if (progress.seen.size >= PASS_MAX) progress.isOver = true;
      if (inFlight.size === 0) return isDone;
      pause ??= new Promise<void>((resolve) => setTimeout(resolve, LOOK_AGAIN_MS)).then(() => {
        pause = null;
      });
      await Promise.race([...inFlight, ...(hasRoom ? [pause] : [])]);
    }
  }

  /**
   * A permit to work on a row, and a token before it where what it asks has a rate: who waits for a token holds nothing, and rows
   * of an account wait behind each other. Null: no token came in time.
   */
  #permit({ bucketOf }: DueWork, { row, untilMs }: { row: DueRow; untilMs: number }): Promise<Release | null> {
    const looked = bucketOf?.(row) ?? null;
    return looked === null ? this.#permits.acquire(row.accountId) : this.#permitAfterToken(looked, { row, untilMs });
  }

  async #permitAfterToken(
    looked: Promise<TokenBucket | null>,
    { row, untilMs }: { row: DueRow; untilMs: number },
  ): Promise<Release | null> {
    // What cannot be looked up its work meets too, and that is told.
    const bucket = await looked.catch(() => null);
    if (bucket === null) return this.#permits.acquire(row.accountId);
    return bucket.inTurn(async () => {
      if (!(await bucket.hasTokenBy(untilMs))) return null;
      const permit = await this.#permits.acquire(row.accountId);
      bucket.take();
      return permit;
    });
  }

  async #claim(
    { claim }: DueWork,
    { progress, except }: { progress: Progress; except: string[] },
  ): Promise<{ fresh: DueRow[]; hasMore: boolean }> {
    const { roundRobin, asked, seen } = progress;
    const { pool, clock } = this.#tools;
    const rows = await run(pool, claim, {
      now: clock.real(),
      liveMode: isLive(this.#options.mode),
      after: roundRobin.after,
      ...rowShards(this.#options.runShard ?? WHOLE),
      asked: JSON.stringify(Object.fromEntries(asked)),
      except,
      share: SHARE_MAX,
      max: BATCH_MAX,
    });
    const fresh = rows.filter(({ id }) => !seen.has(id));
    for (const { accountId, id, wakeAt } of rows) {
      asked.set(accountId, { id, wakeAt });
      seen.add(id);
    }
    const accounts = rows.map(({ accountId }) => accountId);
    return { fresh, hasMore: roundRobin.took(accounts, BATCH_MAX) || rows.length > 0 };
  }

  async #perform({ perform }: DueWork, id: string): Promise<boolean> {
    if (this.#failed.has(id)) return false;
    const part = { name: 'what is due', begins: true, ids: { 'fatura.object': id } };
    const outcome = await this.#tools.tracing
      .span(part, () => perform(id))
      .catch((error: unknown) => {
        raiseAlarm(this.#tools, 'billing_failed', { err: error, id, message: 'what is due could not be done' });
        this.#failed.add(id);
        return 'failed';
      });
    this.#options.told();
    if (outcome !== 'not_due') this.counts.due += 1;
    this.counts[outcome] = (this.counts[outcome] ?? 0) + 1;
    return !UNDONE.includes(outcome);
  }
}
