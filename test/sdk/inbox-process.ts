// A process of a merchant that takes an event out of its inbox and never comes to an end with it.
import { EventInbox } from '@fatura/sdk/inbox';
import { Pool } from 'pg';
import { postgresInbox } from '../../sdk/examples/postgres-inbox.ts';

const [databaseUrl = '', event = '', leaseSeconds = ''] = process.argv.slice(2);
const pool = new Pool({ connectionString: databaseUrl });
const inbox = new EventInbox({
  store: postgresInbox(pool),
  leaseSeconds: Number(leaseSeconds),
  onEvent: () => {
    process.send?.('handling');
    return new Promise(() => {});
  },
});
process.once('disconnect', () => process.exit(0));
await inbox.receive(JSON.parse(event));
