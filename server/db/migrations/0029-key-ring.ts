import { Migration } from '@mikro-orm/migrations';

/** Texts are sealed with a ring of keys; hashes are made with a key of their own, which the ring seals (docs/design/keys.md). */
export class KeyRing extends Migration {
  override up(): void {
    // `seals_since`: from then on texts carry their key and are bound to their place, which the version before cannot read.
    // `cleared_at`: from then on no row holds in clear what is to be sealed.
    this.addSql(`ALTER TABLE encryption_canary
      ADD COLUMN hash_key bytea,
      ADD COLUMN seals_since timestamptz,
      ADD COLUMN cleared_at timestamptz,
      ADD CHECK (cleared_at IS NULL OR seals_since IS NOT NULL)`);
    this.addSql(`CREATE TABLE encryption_key (
      id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{8}$'),
      since timestamptz NOT NULL DEFAULT now()
    )`);
    this.addSql(`CREATE TABLE encryption_ring (
      process text PRIMARY KEY,
      first_key text NOT NULL,
      keys text[] NOT NULL,
      is_sealing boolean NOT NULL,
      is_stopped boolean NOT NULL DEFAULT false,
      seen_at timestamptz NOT NULL DEFAULT now()
    )`);
  }
}
