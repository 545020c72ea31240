import { Command } from 'commander';
import { readRunningInstance } from '../../dev/embedded/data-dir.ts';
import { changeLogged } from '../../server/audit-log/audit-log.ts';
import { type Config, parseConfig } from '../../server/config.ts';
import { type Database, openDatabase } from '../../server/db/database.ts';
import { entities } from '../../server/entities.ts';
import { accountCommands } from './accounts.ts';
import { acquirerCommands } from './acquirer.ts';
import { alarmCommands } from './alarms.ts';
import type { AddCommands, WithChange, WithChanger, WithDatabase } from './command.ts';
import { customerCommands } from './customers.ts';
import { doctorCommand } from './doctor.ts';
import { encryptionCommands } from './encryption.ts';
import { eventCommands } from './events.ts';
import { findCommand } from './find.ts';
import { invoiceCommands } from './invoices.ts';
import { keyCommands } from './keys.ts';
import { logCommands } from './log.ts';
import { mailCommands } from './mail.ts';
import { operatorOrigin, readOperator } from './operator.ts';
import { sandboxCommands } from './sandbox.ts';
import { asService, type WithService } from './service.ts';
import { staffCommands } from './staff.ts';
import { subscriptionCommands } from './subscriptions.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The database of the settings, or of the instance that runs on embedded defaults. */
async function openConfigured(config: Config, isReadOnly: boolean): Promise<Database> {
  const url = config.databaseUrl?.reveal() ?? readRunningInstance(config.dataDir)?.databaseUrl;
  if (url === undefined) throw new Error('No instance is running here: run `npm start` first, or set DATABASE_URL.');
  return openDatabase(url, { entities, size: 2, isReadOnly, reachesEverybody: true });
}

const commands: readonly AddCommands[] = [
  accountCommands,
  keyCommands,
  acquirerCommands,
  alarmCommands,
  customerCommands,
  findCommand,
  logCommands,
  mailCommands,
  sandboxCommands,
  staffCommands,
];

/** The operator CLI with the settings of an environment. */
export function adminProgram(env: Environment): Command {
  const program = new Command('admin')
    .description('Operator commands of Fatura')
    .option(
      '--as <name>',
      'who you are, as the audit log shows it; FATURA_OPERATOR otherwise, or your user',
      readOperator,
    );

  async function open<T>(isReadOnly: boolean, work: (database: Database, config: Config) => Promise<T>): Promise<T> {
    const config = parseConfig(env);
    const database = await openConfigured(config, isReadOnly);
    try {
      return await work(database, config);
    } finally {
      await database.close();
    }
  }

  const withDatabase: WithDatabase = (work) => open(true, work);
  const originOf = ({ operator }: Config) => operatorOrigin(env, program.opts().as ?? operator);
  const withChanger: WithChanger = (work) =>
    open(false, ({ pool }, config) => work({ pool, origin: originOf(config) }, config));
  const withChange: WithChange = (work) =>
    withChanger((changer, config) => changeLogged(changer, (tx) => work(tx, config)));
  const withService: WithService = (asked, work) => {
    const config = parseConfig(env);
    return asService({ config, origin: originOf(config) }, asked, work);
  };
  for (const addTo of commands) addTo(program, withDatabase, withChange);
  eventCommands(program, { withDatabase, withChange, withService });
  invoiceCommands(program, withService);
  subscriptionCommands(program, withService);
  encryptionCommands(program, withDatabase, withChanger);
  doctorCommand(program, env);
  return program;
}
