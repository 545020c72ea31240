import type { Export, ExportCreate, Fatura } from '@fatura/sdk';
import { exportFileStep } from '../../../server/exports/write.ts';
import type { TestApi } from '../../support/api.ts';
import { readCsv } from '../../support/csv.ts';

const STEPS_MAX = 20;

/** Writes the file of an export, as its case does once the relay has begun it. */
export async function write({ composition: { deps } }: TestApi, id: string): Promise<void> {
  await deps.pool.query(`DELETE FROM outbox WHERE kind = 'export-file' AND key = $1`, [id]);
  for (let steps = 0; steps < STEPS_MAX; steps += 1) if ((await exportFileStep(deps, id)).done) return;
  throw new Error(`${id} is not written in ${STEPS_MAX} steps`);
}

/** The export once its case is done with it. */
export async function exported(api: TestApi, fatura: Fatura, asked: ExportCreate): Promise<Export> {
  const { id } = await fatura.exports.create(asked);
  await write(api, id);
  return fatura.exports.retrieve(id);
}

/** What is at a link, wherever the service stands. */
export const open = ({ baseUrl }: TestApi, url: string | null, init: RequestInit = {}): Promise<Response> =>
  fetch(`${baseUrl}${new URL(url ?? '').pathname}`, init);

const BYTE_ORDER_MARK = '\uFEFF';

export interface Table {
  readonly header: string[];
  readonly rows: string[][];
}

/** A file as a spreadsheet reads it. */
export async function tableAt(api: TestApi, { url }: Export): Promise<Table> {
  const bytes = Buffer.from(await (await open(api, url)).arrayBuffer());
  const text = bytes.toString('utf8');
  if (!text.startsWith(BYTE_ORDER_MARK)) throw new Error('no byte order mark');
  const [header = [], ...rows] = readCsv(text.slice(1));
  return { header, rows };
}

/** A list as its file has it. */
export const tableOf = async (api: TestApi, fatura: Fatura, asked: ExportCreate): Promise<Table> =>
  tableAt(api, await exported(api, fatura, asked));

/** The first column, which is that of the ids unless another is asked for. */
export const idsIn = ({ rows }: Table): string[] => rows.map(([id = '']) => id);
