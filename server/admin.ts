import { Command } from 'commander';
import { accountCommands, keyCommands } from './admin/accounts.ts';
import { acquirerCommands } from './admin/acquirer.ts';
import type { WithDatabase } from './admin/command.ts';
import { eventCommands } from './admin/events.ts';
import { findCommand } from './admin/find.ts';
import { mailCommands } from './admin/mail.ts';
import { sandboxCommands } from './admin/sandbox.ts';
import { type Config, parseConfig } from './config.ts';
import { type Database, openDatabase } from './db/database.ts';
import { readRunningInstance } from './embedded/data-dir.ts';
import { entities } from './entities.ts';
import { reasonOf } from './exit-saying.ts';
import { BillingError } from './kernel/errors.ts';

/** The database of the settings, or of the instance that runs on embedded defaults. */
async function openConfigured(config: Config): Promise<Database> {
  const url = config.databaseUrl?.reveal() ?? readRunningInstance(config.dataDir)?.databaseUrl;
  if (url === undefined) throw new Error('No instance is running here: run `npm start` first, or set DATABASE_URL.');
  return openDatabase(url, { entities, size: 2, reachesEverybody: true });
}

const withDatabase: WithDatabase = async (work) => {
  const config = parseConfig(process.env);
  const database = await openConfigured(config);
  try {
    await work(database, config);
  } finally {
    await database.close();
  }
};

const program = new Command('admin').description('Operator commands of Fatura');
for (const addTo of [
  accountCommands,
  keyCommands,
  acquirerCommands,
  eventCommands,
  findCommand,
  mailCommands,
  sandboxCommands,
])
  addTo(program, withDatabase);
try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  const violations = error instanceof BillingError ? error.violations.map(({ message }) => message) : [];
  console.error(violations.join('\n') || reasonOf(error));
  process.exitCode = 1;
}
