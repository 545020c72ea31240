import type { EventType } from '../../contract/events.ts';
import type { ResourceView } from './facts.ts';
import type { Tx } from './tx.ts';

/** A place where a use case lets other domains have their say, declared beside the use case. */
export interface Hook<Work> {
  readonly name: string;
  /** The form of what is called there; there is never a value here. */
  readonly work?: Work;
}

export const hook = <Work>(name: string): Hook<Work> => ({ name });

/** A fact that a transaction recorded, with what was shown of it. */
export interface Recorded {
  readonly type: EventType;
  readonly view: ResourceView;
}

/** Called with all that a transaction recorded, before it commits. */
export const beforeCommit = hook<(tx: Tx, recorded: readonly Recorded[]) => Promise<void>>('before-commit');

/** What is called at each hook, by its name. */
export type Reactions = ReadonlyMap<string, readonly unknown[]>;

/** One entry of `Reactions`. */
export const at = <Work>({ name }: Hook<Work>, ...works: readonly Work[]): [string, readonly Work[]] => [name, works];
