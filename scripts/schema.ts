import { writeFileSync } from 'node:fs';
import { openDatabase } from '../server/db/database.ts';
import { EntitySchemaGenerator } from '../server/db/schema.ts';
import { entities } from '../server/entities.ts';

const WIDTH = 130;

/** A list in lines, each of as many parts as fit. */
const filled = (parts: readonly string[]): string =>
  parts.reduce((text, part) => {
    const width = text.length - text.lastIndexOf('\n') + part.length;
    return `${text},${width < WIDTH ? ' ' : '\n  '}${part}`;
  });

/** The statements of one table, with its constraints in it; PostgreSQL gives those of a column the names that they have here. */
function laidOut(made: string): string {
  const [table = '', ...more] = made.split(/(?<=;)\n/);
  const [, head, name, list = '', partitions = ''] =
    /^(create table (?:\w+\.)?(\w+)) \((.*?)\)( partition by .*)?;$/.exec(table) ?? [];
  if (head === undefined) return made;
  const constraints = more.flatMap((line) => /^alter table \S+ add (constraint .*);$/s.exec(line)?.[1] ?? []);
  const columns = list.split(/, (?=\w+ [a-z])/).map((column) => {
    const own = new RegExp(`^constraint ${name}_${column.split(' ', 1)}_(?:check (check .*)|key (unique) .*)$`);
    const at = constraints.findIndex((one) => own.test(one));
    const [constraint] = at < 0 ? [] : constraints.splice(at, 1);
    return constraint === undefined ? column : `${column} ${constraint.replace(own, '$1$2')}`;
  });
  const rest = more.filter((line) => !line.includes(' add constraint '));
  return [`${head} (\n  ${[filled(columns), ...constraints].join(',\n  ')}\n)${partitions};`, ...rest].join('\n');
}

// Writes the tables that the entities declare as the SQL of the first migration; once that is released it never changes.
const { orm, close } = await openDatabase('postgres://localhost/fatura', { entities });
const sql = (await new EntitySchemaGenerator(orm).getCreateSchemaSQL({ wrap: false }))
  // No identifier of ours needs its quotes, but for the name of a collation.
  .replace(/(?<!collate )"(\w+)"/g, '$1')
  .replace(/(?<! not) null(?=[,)])/g, '')
  .replace(/ constraint \w+ (?=foreign key )/g, ' ')
  .replace(/^(create policy .*?) (?=using .{60})/gm, '$1\n  ')
  .replace(';\n', ';\n\n');
await close();
const HEAD = '-- The tables of the entities (server/entities.ts), written by `npm run schema`.\n\n';
writeFileSync('server/db/migrations/0001/tables.sql', HEAD + sql.split('\n\n').map(laidOut).join('\n\n'));
