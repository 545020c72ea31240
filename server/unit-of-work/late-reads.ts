import type pg from 'pg';
import type { EntityReader } from '../db/entity-reader.ts';
import { run, statement } from '../db/statement.ts';
import { type AlarmTools, alarmEvery } from '../kernel/alarms.ts';
import { BillingError } from '../kernel/errors.ts';
import { settledWithin } from '../kernel/settled-within.ts';
import { HOUR, SECOND_MS } from '../kernel/time.ts';
import type { Scope } from './tx.ts';
import type { Watermark } from './watermark.ts';

/** What reads what may be late: rows as they stood within the last five seconds (docs/design/replicas.md). */
export interface LateReads {
  /** Does a reading where it may be done; whatever a replica answers beside rows, the primary is asked instead. */
  run<T>(reading: (place: ReadPlace) => Promise<T>): Promise<T>;
}

/** Where rows are read, and up to which of them no other comes before any more. */
export interface ReadPlace {
  readonly pool: pg.Pool;
  readonly read: (scope: Scope) => EntityReader;
  readonly watermark: Pick<Watermark, 'find'>;
}

/** Everything is read from the primary. */
export const withoutReplica = (primary: ReadPlace): LateReads => ({ run: (reading) => reading(primary) });

/** A replica that is further behind is not asked. Seconds. */
export const LAG_MAX = 5;
const LOOK_EVERY_MS = 250;
/** A replica that answers no look within so long is away. */
const LOOK_WITHIN_MS = 1 * SECOND_MS;
/** Longer than a statement of a request may take. */
const READ_WITHIN_MS = 4 * SECOND_MS;
/** For so long nobody is told: replicas are restarted. */
const TOLERATED_MS = 30 * SECOND_MS;
/** Places in the log that are remembered until the replica has come there. */
const MARKS_MAX = 1_000;

interface Told<Place> {
  readonly place: Place;
  /** A replica has that of its primary. */
  readonly cluster: string;
}

const whereItWrites = statement<Told<number>>(
  'place_of_primary',
  `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint AS place, c.system_identifier::text AS cluster FROM pg_control_system() c`,
);

const howFarItIs = statement<Told<number | null>>(
  'place_of_replica',
  `SELECT CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint END AS place,
     c.system_identifier::text AS cluster FROM pg_control_system() c`,
);

/** The watermark that stood when the primary had written its log up to a place: who has replayed that sees all rows before it. */
interface Mark {
  readonly place: number;
  readonly watermark: string;
  readonly atMs: number;
}

interface ReplicaDeps extends AlarmTools {
  readonly primary: ReadPlace;
  readonly replica: Omit<ReadPlace, 'watermark'>;
  readonly lag: { set(seconds: number): void };
  /** For tests only: another time than half a minute. */
  readonly toleratedMs?: number;
}

const answered = <T>(ms: number, work: Promise<T>): Promise<T> =>
  settledWithin(ms, work, () => {
    throw new Error(`a replica did not answer within ${ms} ms`);
  });

/** Reads from a replica as long as it is near; follows it by looks at both, four times a second. */
export class ReplicaReads implements LateReads {
  readonly #deps: ReplicaDeps;
  readonly #place: ReadPlace;
  readonly #alarm: ReturnType<typeof alarmEvery>;
  #marks: Mark[] = [];
  /** The newest one that the replica has come to; null: nobody knows of any. */
  #reached: Mark | null = null;
  /** When what it shows stood on the primary. */
  #shownAtMs = performance.now();
  #looking: Promise<void>;
  #isOver = false;

  constructor(deps: ReplicaDeps) {
    this.#deps = deps;
    this.#place = { ...deps.replica, watermark: { find: async () => this.#reached?.watermark ?? '' } };
    this.#alarm = alarmEvery(HOUR * SECOND_MS, deps, 'replica_unused');
    this.#looking = this.#lookOn();
  }

  async run<T>(reading: (place: ReadPlace) => Promise<T>): Promise<T> {
    if (!this.#isNear()) return reading(this.#deps.primary);
    try {
      return await answered(READ_WITHIN_MS, reading(this.#place));
    } catch (error) {
      // What is refused may be there at the primary; any other fault is the replica's until it answers again.
      if (!(error instanceof BillingError)) this.#reached = null;
      return reading(this.#deps.primary);
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#looking;
  }

  #isNear(): boolean {
    return this.#reached !== null && performance.now() - this.#reached.atMs <= LAG_MAX * SECOND_MS;
  }

  async #lookOn(): Promise<void> {
    while (!this.#isOver) {
      const why = await this.#look().catch((error: unknown) => {
        this.#reached = null;
        return error;
      });
      this.#tell(why);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  async #look(): Promise<void> {
    const { primary, replica } = this.#deps;
    const atMs = performance.now();
    // The watermark before the place: what is older than it was committed before the log came there.
    const watermark = await answered(LOOK_WITHIN_MS, primary.watermark.find());
    const [written] = await answered(LOOK_WITHIN_MS, run(primary.pool, whereItWrites, {}));
    this.#remember({ place: written?.place ?? 0, watermark, atMs });
    const [replayed] = await answered(LOOK_WITHIN_MS, run(replica.pool, howFarItIs, {}));
    const place = replayed?.place ?? null;
    if (place === null || replayed?.cluster !== written?.cluster)
      throw new Error('DATABASE_READ_URL leads to no replica of DATABASE_URL');
    const reached = this.#marks.findLast((mark) => mark.place <= place);
    if (reached === undefined) return;
    this.#reached = reached;
    this.#shownAtMs = reached.atMs;
    this.#marks = this.#marks.filter((mark) => mark.atMs >= reached.atMs);
  }

  #remember(mark: Mark): void {
    this.#marks.push(mark);
    if (this.#marks.length > MARKS_MAX) this.#marks = this.#marks.filter((_, nth) => nth % 2 === 0);
  }

  /** A replica that is away shows less of the present each second, too. */
  #tell(why: unknown): void {
    const lagMs = performance.now() - this.#shownAtMs;
    this.#deps.lag.set(lagMs / SECOND_MS);
    if (lagMs < (this.#deps.toleratedMs ?? TOLERATED_MS)) return;
    this.#alarm({ err: why, lagSeconds: lagMs / SECOND_MS, message: 'the primary is read in place of its replica' });
  }
}
