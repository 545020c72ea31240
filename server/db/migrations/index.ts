import { InitialSchema } from './0001-initial-schema.ts';
import { SandboxBank } from './0002-sandbox-bank.ts';

/** Migrations in the order they run; a released one never changes. */
export const migrationsList = [
  { name: '0001-initial-schema', class: InitialSchema },
  { name: '0002-sandbox-bank', class: SandboxBank },
];
