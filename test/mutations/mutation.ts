/** The test that must fail: its file, and a part of its full name. */
export interface Catcher {
  readonly file: string;
  readonly test: string;
}

/** One place of a source file changed for the worse. */
export interface SourceMutation {
  readonly name: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  readonly caughtBy: Catcher;
}

/** One guard of the database taken away. */
export interface SchemaMutation {
  readonly name: string;
  readonly sql: string;
  readonly caughtBy: Catcher;
}

/** A money bug that somebody might write one day, and the test that would tell. */
export type Mutation = SourceMutation | SchemaMutation;
