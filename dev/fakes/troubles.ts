import type { z } from 'zod';
import type { Chance } from './random.ts';

/** A trouble, and whom and what it strikes; without `share` and `next` it strikes always. */
export interface AnyTrouble {
  readonly kind: string;
  /** Absent: every merchant. */
  readonly merchant?: string | undefined;
  /** Absent: every operation that the kind can strike. */
  readonly operation?: string | undefined;
  /** Of the calls, by chance. */
  readonly share?: number | undefined;
  /** The next so many calls. */
  readonly next?: number | undefined;
}

interface Standing<T> {
  readonly trouble: T;
  left: number | null;
}

/** The troubles that are set. Chance decides of those that have a share. */
export class Troubles<T extends AnyTrouble> {
  private standing: Standing<T>[] = [];
  private readonly chance: Chance;
  private readonly form: z.ZodType;

  constructor(chance: Chance, form: z.ZodType) {
    this.chance = chance;
    this.form = form;
  }

  /** Throws for what is no trouble. */
  set(...troubles: readonly T[]): void {
    for (const trouble of troubles) {
      const read = this.form.parse(trouble) as T; // what Zod read is what it was given
      this.standing.push({ trouble: read, left: read.next ?? null });
    }
  }

  /** Ends those that have every field of the filter; all, without one. */
  clear(filter: Partial<Pick<T, 'kind' | 'merchant' | 'operation'>> = {}): void {
    const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
    this.standing = this.standing.filter(
      ({ trouble }) => !wanted.every(([name, value]) => Reflect.get(trouble, name) === value),
    );
  }

  list(): T[] {
    return this.standing.map(({ trouble, left }) => (left === null ? trouble : { ...trouble, next: left }));
  }

  /** The trouble of a kind that strikes a call, which counts against its `next`. */
  strikes(kind: T['kind'], { merchant, operation }: { merchant: string; operation: string }): T | null {
    const struck = this.standing.find(({ trouble, left }) => {
      if (trouble.kind !== kind || left === 0) return false;
      if (trouble.merchant !== undefined && trouble.merchant !== merchant) return false;
      if (trouble.operation !== undefined && trouble.operation !== operation) return false;
      return trouble.share === undefined || this.chance.share() < trouble.share;
    });
    if (struck === undefined) return null;
    if (struck.left !== null) struck.left -= 1;
    this.standing = this.standing.filter(({ left }) => left !== 0);
    return struck.trouble;
  }
}
