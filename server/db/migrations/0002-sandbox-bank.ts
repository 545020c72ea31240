import { Migration } from '@mikro-orm/migrations';

/** The books of the sandbox acquirer: a bank of its own that shares nothing with ours but the database. */
export class SandboxBank extends Migration {
  override up(): void {
    this.addSql(`CREATE SCHEMA sandbox_bank`);
    this.addSql(`CREATE TABLE sandbox_bank.cob (
      txid text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      created bigint NOT NULL,
      expires_at bigint NOT NULL,
      location text NOT NULL,
      copy_paste text NOT NULL,
      status text NOT NULL CHECK (status IN ('ATIVA', 'CONCLUIDA', 'REMOVIDA_PELO_USUARIO_RECEBEDOR'))
    )`);
    this.addSql(`CREATE TABLE sandbox_bank.pix (
      end_to_end_id text COLLATE "C" PRIMARY KEY,
      txid text COLLATE "C" NOT NULL REFERENCES sandbox_bank.cob,
      amount bigint NOT NULL CHECK (amount > 0),
      paid_at bigint NOT NULL,
      settles_at bigint NOT NULL
    )`);
    this.addSql(`CREATE INDEX pix_txid ON sandbox_bank.pix (txid)`);
    this.addSql(`CREATE TABLE sandbox_bank.devolucao (
      id text COLLATE "C" PRIMARY KEY,
      end_to_end_id text COLLATE "C" NOT NULL REFERENCES sandbox_bank.pix,
      amount bigint NOT NULL CHECK (amount > 0),
      requested_at bigint NOT NULL,
      completes_at bigint NOT NULL,
      refused boolean NOT NULL
    )`);
    this.addSql(`CREATE INDEX devolucao_pix ON sandbox_bank.devolucao (end_to_end_id)`);
  }
}
