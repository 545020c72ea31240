import type { Migration } from '@mikro-orm/migrations';
import { FirstSchema } from './0001-schema.ts';

export interface NamedMigration {
  readonly name: string;
  readonly class: new (...made: ConstructorParameters<typeof Migration>) => Migration;
}

/** Migrations in the order they run; a released one never changes. */
export const migrationsList: readonly NamedMigration[] = [{ name: '0001-schema', class: FirstSchema }];
