import { Migration } from '@mikro-orm/migrations';
import { ID } from './columns.ts';

/** Who moves the live money of each account. */
export class LiveAcquirers extends Migration {
  override up(): void {
    // `settings` is sealed as a whole; `notice_hash` is a keyed hash of the secret path of its callbacks.
    this.addSql(`CREATE TABLE live_acquirer (
      account_id ${ID} NOT NULL,
      method text NOT NULL CHECK (method IN ('pix')),
      profile text NOT NULL,
      settings bytea NOT NULL,
      notice_hash bytea NOT NULL UNIQUE,
      certificate_ends_at timestamptz NOT NULL,
      swept_until bigint NOT NULL,
      returns_swept_at bigint NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL DEFAULT now(),
      changed_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (account_id, method),
      FOREIGN KEY (account_id) REFERENCES account (id)
    )`);
  }
}
