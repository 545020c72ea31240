import type pg from 'pg';
import type { Deps } from '../../server/deps.ts';
import { caseSteps, type PlainCase } from '../../workflows/steps.ts';
import { rolesOf } from '../support/roles.ts';

const isCase = (kind: string): kind is PlainCase => kind in caseSteps;

/** The worker process without Temporal: the relay hands what the outbox holds to cases, which look again until they are over. */
export class Worker {
  readonly #deps: () => Deps;
  readonly #cases = new Set<string>();

  constructor(deps: () => Deps) {
    this.#deps = deps;
  }

  /** Cases that are not over, as kind and key. */
  get cases(): ReadonlySet<string> {
    return this.#cases;
  }

  /**
   * Takes what is due and lets every case look once; one whose step fails stays, as it does in Temporal. Answers whether
   * there was anything to do.
   */
  async turn({ isAllDue = false } = {}): Promise<boolean> {
    const deps = this.#deps();
    for (const name of await takeOutbox(rolesOf(deps.pool).superuser, isAllDue)) this.#cases.add(name);
    const looking = [...this.#cases];
    for (const name of looking) {
      const [kind = '', key = ''] = name.split(' ');
      if (!isCase(kind)) throw new Error(`the outbox asks for ${name}, which no case is for`);
      const { done } = await caseSteps[kind](deps, key);
      if (done) this.#cases.delete(name);
    }
    return looking.length > 0;
  }

  forget(): void {
    this.#cases.clear();
  }
}

async function takeOutbox(pool: pg.Pool, isAllDue: boolean): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>({
    name: 'model_take_outbox',
    text: `DELETE FROM outbox WHERE due_at <= now() OR $1 RETURNING kind || ' ' || key AS name`,
    values: [isAllDue],
  });
  return rows.map(({ name }) => name).sort();
}
