import { Migration } from '@mikro-orm/migrations';

/** What `/readyz` goes by (docs/product/requests.md#public-routes). */
export class Readiness extends Migration {
  override up(): void {
    // Since when PostgreSQL, Temporal and a worker have worked together. Where there are accounts, they have.
    this.addSql(
      `CREATE TABLE installation (is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), ready_at timestamptz NOT NULL)`,
    );
    this.addSql('INSERT INTO installation (ready_at) SELECT now() WHERE EXISTS (SELECT FROM account)');
    // A row takes a page of its own, so that writing it needs room on the disk.
    this.addSql('CREATE TABLE write_proof (page text STORAGE PLAIN NOT NULL)');
    this.addSql('GRANT SELECT ON installation TO fatura_api');
    this.addSql('GRANT SELECT, INSERT ON installation TO fatura_worker');
    this.addSql('GRANT SELECT, INSERT, DELETE ON write_proof TO fatura_api, fatura_worker');
  }
}
