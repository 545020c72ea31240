import { Migration } from '@mikro-orm/migrations';

/** Whoever writes an event queues behind a partition that waits to be made or dropped: for half a second and not for two. */
export class ShortWaitsForPartitions extends Migration {
  override up(): void {
    for (const change of ['make_partition', 'drop_partition'])
      this.addSql(`ALTER FUNCTION ${change}(text, date) SET lock_timeout = '500ms'`);
  }
}
