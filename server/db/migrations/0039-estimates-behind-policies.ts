import { Migration } from '@mikro-orm/migrations';
import { HELD } from './0028-row-level-security.ts';

/**
 * A policy lets through all that a statement asks for, and the planner took its comparison for one that keeps a hundredth:
 * with so few rows expected, a list read and sorted all of an account in place of its first page. Of a `coalesce` it expects half.
 */
const estimated = (table: string): string => `DO $$ DECLARE v_condition text; BEGIN
  SELECT pg_get_expr(polqual, polrelid) INTO v_condition FROM pg_policy WHERE polname = 'own' AND polrelid = '${table}'::regclass;
  IF v_condition NOT LIKE 'COALESCE(%' THEN
    EXECUTE format('ALTER POLICY own ON ${table} USING (coalesce((%s), false))', v_condition);
  END IF;
END $$`;

/** What gives a table of tomorrow its policy says the same. */
const HOLD = `DO $$ DECLARE v_text text := pg_get_functiondef('hold_to_accounts(regclass, text)'::regprocedure); BEGIN
  IF strpos(v_text, 'USING (%s)') = 0 THEN RAISE EXCEPTION 'hold_to_accounts makes policies in another way'; END IF;
  EXECUTE replace(v_text, 'USING (%s)', 'USING (coalesce((%s), false))');
END $$`;

/** The planner expects of the policies what they do. */
export class EstimatesBehindPolicies extends Migration {
  override up(): void {
    this.addSql(HOLD);
    for (const table of [...HELD, 'audit_log']) this.addSql(estimated(table));
  }
}
