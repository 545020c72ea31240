import { setTimeout as sleep } from 'node:timers/promises';
import type { Export } from '@fatura/sdk';
import { writtenColumns } from '../support/columns.ts';
import type { Bench, BenchContext } from './bench.ts';
import { plantSeeds } from './seeds.ts';
import type { Stage } from './stage.ts';
import type { Figure } from './table.ts';
import { measureCores, memoryOf } from './usage.ts';

const SIZES = { full: [20_000, 200_000], quick: [5_000] };
const POLL_MS = 100;
/** Slower than any machine that is worth a figure. */
const LEAST_PER_SECOND = 500;
const SLACK_MS = 60_000;

interface Written {
  readonly figures: readonly Figure[];
  readonly note: string;
}

/** Copies of a draft, whose ids say that their events are long gone. */
const COPY = `INSERT INTO invoice (${writtenColumns('invoice')}) SELECT ${writtenColumns('invoice')} FROM (SELECT (jsonb_populate_record(i,
    jsonb_build_object('id', 'in_' || lpad(nth::text, 26, '0'), 'last_event_id', NULL, 'last_event_at', NULL))).*
  FROM invoice i, generate_series($2::int, $3::int) nth WHERE i.id = $1) copies`;

/** Has so many invoices in all. */
async function fill({ pool }: Stage, { template, from, to }: { template: string; from: number; to: number }) {
  const client = await pool.connect();
  try {
    await client.query('SET statement_timeout = 0');
    await client.query(COPY, [template, from, to]);
    await client.query('VACUUM ANALYZE invoice');
  } finally {
    // Its settings are not for others.
    client.release(true);
  }
}

async function untilCompleted({ fatura }: Stage, id: string, size: number): Promise<Export> {
  const endsMs = performance.now() + SLACK_MS + (size / LEAST_PER_SECOND) * 1_000;
  for (;;) {
    const found = await fatura.exports.retrieve(id);
    if (found.status === 'completed') return found;
    if (found.status === 'failed' || performance.now() > endsMs) throw new Error(`${id} is ${found.status}`);
    await sleep(POLL_MS);
  }
}

/** Takes a file and keeps none of it; answers its bytes. */
async function fetchFile({ port }: Stage, { url }: Export): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${new URL(url ?? '').pathname}`);
  if (!answer.ok || answer.body === null) throw new Error(`the file is answered ${answer.status}`);
  let bytes = 0;
  for await (const chunk of answer.body) bytes += chunk.length;
  return bytes;
}

interface Scene {
  readonly context: BenchContext;
  readonly stage: Stage;
  readonly worker: number;
}

async function exportAll({ context, stage, worker }: Scene, size: number): Promise<Written> {
  const rows = size.toLocaleString('en');
  context.say(`${rows} rows`);
  const before = { worker: memoryOf(worker).nowMiB, api: memoryOf(stage.pids.api).nowMiB };
  const endWriting = measureCores({ ...stage.pids, worker });
  const startedMs = performance.now();
  const { id } = await stage.fatura.exports.create({ type: 'invoices' });
  const file = await untilCompleted(stage, id, size);
  const writtenMs = performance.now() - startedMs;
  const writing = endWriting();
  if (file.rows !== size) throw new Error(`${size} invoices, and ${file.rows} rows`);
  const endFetching = measureCores(stage.pids);
  const fetchedFromMs = performance.now();
  const bytes = await fetchFile(stage, file);
  const fetchedMs = performance.now() - fetchedFromMs;
  const kept = await stage.pool.query<{ mib: number }>(
    'SELECT round(sum(octet_length(content)) / 1048576.0, 1)::float8 AS mib FROM export_part WHERE export_id = $1',
    [id],
  );
  const peak = { worker: memoryOf(worker).peakMiB, api: memoryOf(stage.pids.api).peakMiB };
  return {
    figures: [
      { what: `rows written, ${rows} of all columns`, perSecond: size / (writtenMs / 1_000), cores: writing },
      { what: `rows fetched, ${rows}`, connections: 1, perSecond: size / (fetchedMs / 1_000), cores: endFetching() },
    ],
    note: `${rows} rows: ${(bytes / 1_048_576).toFixed(1)} MiB, kept in ${kept.rows[0]?.mib} MiB; memory of the worker ${before.worker} MiB before, ${peak.worker} at most; of the API ${before.api} and ${peak.api}`,
  };
}

/** Lists written into files and fetched: how quickly, and whether memory follows their size. */
export const exports: Bench = async (context) => {
  const stage = await context.setStage();
  const { customers, prices } = await plantSeeds(stage.fatura);
  const { id: template } = await stage.fatura.invoices.create({
    customer_id: customers[0] ?? '',
    line_items: [{ price_id: prices[0] ?? '', quantity: 1 }],
    description: 'Pedido 1042',
    metadata: [{ order: '1042', canal: 'site' }],
    draft: true,
  });
  const { worker } = await stage.startWorker();
  const written: Written[] = [];
  let count = 1;
  for (const size of context.isQuick ? SIZES.quick : SIZES.full) {
    await fill(stage, { template, from: count, to: size - 1 });
    count = size;
    written.push(await exportAll({ context, stage, worker }, size));
  }
  await stage.proveInvariants();
  return {
    figures: written.flatMap(({ figures }) => figures),
    notes: [...written.map(({ note }) => note), 'the audit found nothing'],
  };
};
