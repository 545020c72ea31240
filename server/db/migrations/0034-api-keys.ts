import { Migration } from '@mikro-orm/migrations';
import { ID } from './columns.ts';

/** API keys that have names, networks and a successor; when each was last used. */
export class ApiKeys extends Migration {
  override up(): void {
    // `bucket`: the key whose count of requests this one goes on with; null: its own.
    this.addSql(`ALTER TABLE api_key
      ADD COLUMN name text NOT NULL DEFAULT 'default',
      ADD COLUMN networks cidr[] NOT NULL DEFAULT '{}',
      ADD COLUMN bucket ${ID},
      ADD COLUMN replaced_by ${ID},
      ADD COLUMN revoked_at timestamptz,
      ADD CONSTRAINT api_key_name_check CHECK (char_length(name) BETWEEN 1 AND 100) NOT VALID,
      ADD CONSTRAINT api_key_replaced_by_fkey FOREIGN KEY (replaced_by) REFERENCES api_key NOT VALID`);
    for (const constraint of ['api_key_name_check', 'api_key_replaced_by_fkey'])
      this.addSql(`ALTER TABLE api_key VALIDATE CONSTRAINT ${constraint}`);
    // Apart from the keys: whoever serves requests tells of their use, and changes no key.
    this.addSql(`CREATE TABLE api_key_use (
      key_id ${ID} PRIMARY KEY REFERENCES api_key,
      used_at timestamptz NOT NULL
    )`);
  }
}
