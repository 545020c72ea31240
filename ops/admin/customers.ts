import { open, rm } from 'node:fs/promises';
import { type AddCommands, readingBox } from './command.ts';
import { exportCustomer, logExport } from './portability.ts';

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
        await withChange((tx) => logExport(tx, id));
        await withDatabase(async (database, config) => {
          const secretBox = await readingBox(database, config);
          await exportCustomer({ ...database, secretBox }, id, write);
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
