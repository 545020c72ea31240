import { open, rm } from 'node:fs/promises';
import type { Command } from 'commander';
import type { WithDatabase } from './command.ts';
import { exportCustomer } from './portability.ts';

/** Where the document goes; a reader that is slow is waited for. */
const toStandardOutput = (piece: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(piece, (error) => (error == null ? resolve() : reject(error)));
  });

export function customerCommands(program: Command, withDatabase: WithDatabase): void {
  program
    .command('customer')
    .description('what is stored of a customer')
    .command('export <customer>')
    .description('write everything that is stored of a customer as one JSON document (LGPD, art. 18)')
    .option('--out <file>', 'into a new file that nobody else may read, instead of the standard output')
    .action((customer: string, { out }: { out?: string }) =>
      withDatabase(async (database) => {
        const file = out === undefined ? null : await open(out, 'wx', 0o600);
        try {
          const write = file === null ? toStandardOutput : (piece: string) => file.appendFile(piece);
          if (!(await exportCustomer(database, customer.trim(), write)))
            throw new Error(`No such customer: ${customer}`);
          await file?.sync();
        } catch (error) {
          if (out !== undefined) await rm(out);
          throw error;
        } finally {
          await file?.close();
        }
      }),
    );
}
