import { parseConfig } from './config.ts';
import { openDatabase } from './db/database.ts';
import { migrate } from './db/migrate.ts';
import { entities } from './entities.ts';

const config = parseConfig(process.env);
if (config.databaseUrl === null) throw new Error('DATABASE_URL is not set: `npm start` migrates its own database');
const database = await openDatabase(config.databaseUrl.reveal(), { entities, size: 2 });
await migrate(database);
await database.close();
