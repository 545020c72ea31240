import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Migration } from '@mikro-orm/migrations';
import { auditLog } from './0001/audit-log.ts';
import { grants } from './0001/grants.ts';
import { partitions } from './0001/partitions.ts';
import { policies } from './0001/policies.ts';
import { standings } from './0001/standings.ts';

/** The whole schema: the tables, what the database itself does, and who may do what. */
export class FirstSchema extends Migration {
  override up(): void {
    this.addSql(readFileSync(join(import.meta.dirname, '0001', 'tables.sql'), 'utf8'));
    for (const sql of [...standings, ...auditLog, ...partitions, ...policies, ...grants]) this.addSql(sql);
  }
}
