import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { ExportType } from '../../contract/export-columns.ts';
import { type ClockRow, clockColumns, clockOf } from '../accounts/scope.ts';
import { acrossAccounts, mine, readIn, run, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { isoDate } from '../kernel/brazil.ts';
import type { Timestamp } from '../kernel/time.ts';
import { places } from '../sealing/sealed-columns.ts';
import { partId } from './rows.ts';
import { fileNames } from './words.ts';

const decompress = promisify(gunzip);

interface FileRow extends ClockRow {
  readonly id: string;
  readonly type: ExportType;
  readonly created: Timestamp;
  readonly parts: number;
  readonly bytes: number;
  readonly expiresAt: Timestamp;
}

const readFileOfLink = acrossAccounts<FileRow>(
  'read_export_of_link',
  `SELECT e.id, e.type, e.created, e.parts, e.bytes, e.expires_at AS "expiresAt", ${clockColumns('e')}
   FROM export e JOIN account a ON a.id = e.account_id WHERE e.id = :id AND e.status = 'completed'`,
);

const readPart = statement<{ content: Buffer }>(
  'read_export_part',
  `SELECT p.content FROM export_part p WHERE ${mine('p')} AND p.id = :id`,
);

/** A file that can be fetched. */
export interface ExportFile {
  readonly of: { readonly accountId: string; readonly liveMode: boolean };
  /** Null: it cannot be fetched any more. */
  readonly file: {
    readonly name: string;
    readonly bytes: number;
    readonly content: () => AsyncGenerator<Buffer>;
  } | null;
}

/** The file of an export, whose link says whose it is; null: there is none. */
export async function findExportFile(deps: Deps, id: string): Promise<ExportFile | null> {
  const [row] = await run(deps.pool, readFileOfLink, { id });
  if (row === undefined) return null;
  const { accountId, liveMode, type, created, bytes, expiresAt } = row;
  const of = { accountId, liveMode };
  if (deps.clock.now(clockOf(row)) >= expiresAt) return { of, file: null };
  const name = `${fileNames[type]}-${isoDate(created)}.csv`;
  return { of, file: { name, bytes, content: () => contentOf(deps, row) } };
}

/** One part after another, as they are taken. */
async function* contentOf({ pool, secretBox }: Deps, { id, accountId, liveMode, parts }: FileRow) {
  for (let nth = 0; nth < parts; nth += 1) {
    const part = partId(id, nth);
    const [found] = await readIn(pool, { accountId, liveMode }, readPart, { id: part });
    if (found === undefined) throw new Error(`${id} was removed while it was fetched`);
    yield await decompress(secretBox.openBytes(found.content, places.exportPart(accountId, part)));
  }
}
