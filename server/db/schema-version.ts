import type pg from 'pg';
import { migrationsList } from './migrations/index.ts';

/** The schema is not the one that this code was written for. */
export class WrongSchema extends Error {}

const READ_MIGRATIONS = `SELECT m.name, (to_jsonb(m) ->> 'steps_done') IS NULL AS "isWhole" FROM migration m ORDER BY m.name`;

/** Refuses a database that lacks migrations of this code, or has others beside them. */
export async function refuseOtherSchema(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string; isWhole: boolean }>(READ_MIGRATIONS);
  const whole = new Set(rows.filter(({ isWhole }) => isWhole).map(({ name }) => name));
  const needed = migrationsList.map(({ name }) => name);
  const needs = `This code needs the schema of ${needed.at(-1)}`;
  const lacking = needed.filter((name) => !whole.has(name));
  if (lacking.length > 0) {
    throw new WrongSchema(
      `${needs}, and the database lacks ${lacking.join(', ')}: run \`npm run migrate\` with this code`,
    );
  }
  const unknown = rows.filter(({ name }) => !needed.includes(name)).map(({ name }) => name);
  if (unknown.length > 0) {
    throw new WrongSchema(`${needs}, and the database has ${unknown.join(', ')} beside it: use the newer code`);
  }
}
