import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Migration } from '@mikro-orm/migrations';
import { auditLogTriggers } from './0001/audit-log.ts';
import { deliveryStatusTriggers } from './0001/delivery-status.ts';
import { grants } from './0001/grants.ts';
import { invoiceKeyTriggers } from './0001/invoice-keys.ts';
import { partitions } from './0001/partitions.ts';

const sqlOf = (name: string): string => readFileSync(join(import.meta.dirname, '0001', name), 'utf8');

/** The whole schema: the tables, what the database itself does, and who may do what. */
export class FirstSchema extends Migration {
  override up(): void {
    this.addSql(sqlOf('before.sql'));
    this.addSql(sqlOf('tables.sql'));
    this.addSql(sqlOf('beside.sql'));
    for (const sql of [...deliveryStatusTriggers, ...auditLogTriggers, ...invoiceKeyTriggers, ...partitions, ...grants])
      this.addSql(sql);
  }
}
