import { Migration } from '@mikro-orm/migrations';
import { ID } from './columns.ts';

/** Cards in the sandbox bank's books, and what an operator has it do. */
export class SandboxSimulator extends Migration {
  override up(): void {
    // Never the number nor the CVC: what the bank does with a card is told by its scenario.
    this.addSql(`CREATE TABLE sandbox_bank.card (
      token ${ID} PRIMARY KEY,
      account_id ${ID} NOT NULL,
      brand text NOT NULL,
      last4 text NOT NULL CHECK (last4 ~ '^[0-9]{4}$'),
      scenario text NOT NULL
    )`);
    // Instants are real, as an acquirer's are.
    this.addSql(`CREATE TABLE sandbox_bank.charge (
      reference ${ID} PRIMARY KEY,
      account_id ${ID} NOT NULL,
      token ${ID} NOT NULL REFERENCES sandbox_bank.card,
      amount bigint NOT NULL CHECK (amount > 0),
      installments integer NOT NULL CHECK (installments BETWEEN 1 AND 12),
      received_at timestamptz NOT NULL,
      deadline_at timestamptz NOT NULL,
      completes_at timestamptz NOT NULL,
      outcome text NOT NULL CHECK (outcome IN ('approved', 'declined')),
      decline_reason text,
      code text,
      CHECK (received_at < deadline_at),
      CHECK ((outcome = 'declined') = (decline_reason IS NOT NULL AND code IS NOT NULL))
    )`);
    this.addSql(`CREATE INDEX charge_token ON sandbox_bank.charge (token)`);
    // It completes as it is asked; only \`requested_at\` is on the account's clock.
    this.addSql(`CREATE TABLE sandbox_bank.estorno (
      reference ${ID} PRIMARY KEY,
      charge ${ID} NOT NULL REFERENCES sandbox_bank.charge,
      amount bigint NOT NULL CHECK (amount > 0),
      refused boolean NOT NULL,
      requested_at bigint NOT NULL,
      received_at timestamptz NOT NULL DEFAULT now()
    )`);
    this.addSql(`CREATE INDEX estorno_charge ON sandbox_bank.estorno (charge)`);
    this.addSql(`ALTER TABLE sandbox_bank.devolucao ADD COLUMN received_at timestamptz NOT NULL DEFAULT now()`);
    this.addSql(`ALTER TABLE sandbox_bank.cob ADD COLUMN notices_left integer NOT NULL DEFAULT 0`);
    this.addSql(`CREATE TABLE sandbox_bank.behaviour (
      account_id ${ID} NOT NULL,
      call text NOT NULL,
      latency_ms integer CHECK (latency_ms >= 0),
      request_lost float8 CHECK (request_lost BETWEEN 0 AND 1),
      answer_lost float8 CHECK (answer_lost BETWEEN 0 AND 1),
      fault float8 CHECK (fault BETWEEN 0 AND 1),
      decline float8 CHECK (decline BETWEEN 0 AND 1),
      refuse float8 CHECK (refuse BETWEEN 0 AND 1),
      not_found_seconds integer CHECK (not_found_seconds >= 0),
      notice_delay_seconds integer CHECK (notice_delay_seconds >= 0),
      notice_repeats integer CHECK (notice_repeats BETWEEN 0 AND 5),
      PRIMARY KEY (account_id, call)
    )`);
  }
}
