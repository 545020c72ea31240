import { open, rm } from 'node:fs/promises';
import { acrossAccounts, type Connection, run } from '../../server/db/statement.ts';
import { exportCustomer } from '../../server/exports/customer-data.ts';
import { type AddCommands, readingBox } from './command.ts';

interface Found {
  readonly customerId: string;
  readonly accountId: string;
  readonly liveMode: boolean;
}

const findCustomer = acrossAccounts<Found>(
  'find_customer_to_export',
  'SELECT id AS "customerId", account_id AS "accountId", live_mode AS "liveMode" FROM customer WHERE id = :id',
);

async function find(connection: Connection, id: string): Promise<Found> {
  const [found] = await run(connection, findCustomer, { id });
  if (found === undefined) throw new Error(`No such customer: ${id}`);
  return found;
}

/** Where the document goes; a reader that is slow is waited for. */
const toStandardOutput = (piece: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(piece, (error) => (error == null ? resolve() : reject(error)));
  });

export const customerCommands: AddCommands = (program, withDatabase, withChange) => {
  program
    .command('customer')
    .description('what is stored of a customer')
    .command('export <customer>')
    .description('write everything that is stored of a customer as one JSON document (LGPD, art. 18)')
    .option('--out <file>', 'into a new file that nobody else may read, instead of the standard output')
    .action(async (customer: string, { out }: { out?: string }) => {
      const id = customer.trim();
      const file = out === undefined ? null : await open(out, 'wx', 0o600);
      try {
        const write = file === null ? toStandardOutput : (piece: string) => file.appendFile(piece);
        // First, so that a copy that was broken off is known of too.
        const found = await withChange(async (tx) => {
          const of = await find(tx.pool, id);
          const { accountId: account, liveMode } = of;
          await tx.log({ action: 'customer.exported', account, liveMode, object: id, before: null, after: null });
          return of;
        });
        await withDatabase(async (database, config) => {
          const secretBox = await readingBox(database, config);
          await exportCustomer({ pool: database.pool, secretBox }, found, write);
        });
        await file?.sync();
      } catch (error) {
        if (out !== undefined) await rm(out);
        throw error;
      } finally {
        await file?.close();
      }
    });
};
