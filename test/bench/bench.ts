import type { Stage } from './stage.ts';
import type { Figure } from './table.ts';
import type { Teardown } from './teardown.ts';

/** What each bench is given. */
export interface BenchContext {
  readonly teardown: Teardown;
  readonly times: { readonly warmupSeconds: number; readonly seconds: number };
  /** How long one measured run may take in all. */
  readonly timeoutMs: number;
  /** How long the load lasts whose memory is measured. */
  readonly minutes: number;
  readonly isQuick: boolean;
  /** Taken down with the bench, or with a teardown of its own; with settings of PostgreSQL or of the service, where a measurement needs some. */
  setStage(options?: {
    teardown?: Teardown;
    postgresSettings?: Readonly<Record<string, string>>;
    serviceSettings?: Readonly<Record<string, string>>;
  }): Promise<Stage>;
  /** Whether a part of a bench was asked for, by its name. */
  wants(part: string): boolean;
  /** Tells on stderr what is being done. */
  say(line: string): void;
}

interface Told {
  readonly notes: readonly string[];
}

export interface Figures extends Told {
  readonly figures: readonly Figure[];
}

/** What is told in columns of its own. */
export interface Table extends Told {
  readonly table: string;
}

export type BenchReport = Figures | Table;

export type Bench = (context: BenchContext) => Promise<BenchReport>;
