import pg from 'pg';
import { openPool } from '../../server/db/database.ts';

/** What the statements of one list did, together. */
export interface Plan {
  /** Statements that read events. */
  readonly looks: number;
  /** Rows that scans took up, those that a filter dropped among them. */
  readonly rows: number;
  /** Pages of 8 KiB, in memory or from the disk. */
  readonly buffers: number;
  /** The indexes that were read, the most read one first. */
  readonly by: string;
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly Node[];
}

interface Sent {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

function rowsOf(node: Node): number {
  if (!/Scan$/.test(node['Node Type']) || /Function|Subquery|CTE/.test(node['Node Type'])) return 0;
  const dropped = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return ((node['Actual Rows'] ?? 0) + dropped) * (node['Actual Loops'] ?? 1);
}

/** Partitions have each their own index of the one that the table has, named after its columns. */
const INDEXES: readonly (readonly [columns: RegExp, name: string])[] = [
  [/^event_delivery_status_account_id_live_mode_status/, 'event_delivery_status_list'],
  [/^event_delivery_status_account_id_live_mode_created/, 'event_delivery_status_created'],
  [/^event_delivery_status_pkey/, 'event_delivery_status_pkey'],
  [/^event_account_id_live_mode_id/, 'event_scope'],
  [/^event_related/, 'event_related'],
];

function indexOf(name: string): string {
  const plain = name.replace(/_\d{8}|_default/g, '');
  return INDEXES.find(([columns]) => columns.test(plain))?.[1] ?? plain;
}

/** A pool that remembers what is sent, so that it can be explained as the service prepares it. */
export class Watched {
  readonly pool: pg.Pool;
  readonly #explainer: pg.Client;
  readonly #connected: Promise<unknown>;
  #sent: Sent[] | null = null;

  constructor(url: string) {
    this.pool = openPool(url, { size: 4 });
    this.#explainer = new pg.Client({ connectionString: url });
    this.#connected = this.#explainer.connect();
    this.pool.on('connect', (client) => this.#watch(client));
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.#explainer.end();
  }

  /** Runs a list and explains what it sent. */
  async explain(list: () => Promise<unknown>): Promise<Plan> {
    await this.#connected;
    this.#sent = [];
    await list();
    const sent = this.#sent;
    this.#sent = null;
    const plans: Node[] = [];
    for (const [nth, one] of sent.entries()) {
      if (!one.name.startsWith('list_events')) continue;
      // Each is sent behind the settings of its transaction.
      await this.#explainer.query(sent[nth - 1]?.text ?? '');
      plans.push(await this.#explainOne(one));
      await this.#explainer.query('ROLLBACK');
    }
    return summaryOf(plans);
  }

  async #explainOne({ text, values }: Sent): Promise<Node> {
    await this.#explainer.query(`PREPARE explained AS ${text}`);
    const given = values.map((value) => this.#explainer.escapeLiteral(literalOf(value))).join(', ');
    const { rows } = await this.#explainer.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE explained(${given})`);
    await this.#explainer.query('DEALLOCATE explained');
    return rows[0]['QUERY PLAN'][0].Plan;
  }

  #watch(client: pg.PoolClient): void {
    const query = client.query.bind(client) as (...sent: unknown[]) => unknown;
    Object.assign(client, {
      query: (...sent: unknown[]) => {
        const [config] = sent;
        const {
          name = '',
          text = '',
          values = [],
        } = typeof config === 'string' ? { text: config } : (config as Partial<Sent>);
        this.#sent?.push({ name, text, values });
        return query(...sent);
      },
    });
  }
}

const literalOf = (value: unknown): string =>
  Array.isArray(value) ? `{${value.map((one) => `"${one}"`).join(',')}}` : String(value);

function summaryOf(plans: readonly Node[]): Plan {
  const nodes = plans.flatMap(nodesOf);
  const byIndex = new Map<string, number>();
  for (const node of nodes) {
    const index = node['Index Name'];
    if (index !== undefined && (node['Actual Loops'] ?? 0) > 0)
      byIndex.set(indexOf(index), (byIndex.get(indexOf(index)) ?? 0) + (node['Actual Loops'] ?? 0));
  }
  const sum = (of: (node: Node) => number, among: readonly Node[]) =>
    among.reduce((total, node) => total + of(node), 0);
  return {
    looks: plans.length,
    rows: Math.round(sum(rowsOf, nodes)),
    buffers: sum((node) => (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0), plans),
    by: [...byIndex]
      .sort(([, one], [, other]) => other - one)
      .map(([name]) => name)
      .join(', '),
  };
}
