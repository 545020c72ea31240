/** The test that must fail: its file, and a part of its full name. */
export interface Catcher {
  readonly file: string;
  readonly test: string;
}

/** An exported function of the service, and what a bug makes of it. */
export interface Broken {
  readonly file: string;
  readonly exported: string;
  readonly bug: (sound: never) => unknown;
}

/** What of a mutation a run is told: the bug itself it finds in the list. */
export type Place = Pick<CodeMutation, 'name' | 'file' | 'exported'>;

/** One exported function that does not do what it should. */
export interface CodeMutation extends Broken {
  readonly name: string;
  readonly caughtBy: Catcher;
}

/** One guard of the database taken away. */
export interface SchemaMutation {
  readonly name: string;
  readonly sql: string;
  readonly caughtBy: Catcher;
}

/** A money bug that somebody might write one day, and the test that would tell. */
export type Mutation = CodeMutation | SchemaMutation;

/** Breaks functions of one module by their names, so that the compiler tells when one is gone. */
export const broken =
  <Module extends object>(file: string) =>
  <Name extends keyof Module & string>(exported: Name, bug: (sound: Module[Name]) => Module[Name]): Broken => ({
    file,
    exported,
    bug,
  });
