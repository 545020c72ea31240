import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { postRequest } from '../raw-http.ts';
import { type Attacker, authorization, flood } from './attacker.ts';

const CONNECTIONS = 64;

/** Changes of one row that somebody holds for as long as the attack lasts. */
export const lockedRows: Attacker = {
  name: 'locked rows',
  modes: ['live', 'sandbox'],
  start: async (scene, mode) => {
    const { port, databaseUrl } = scene;
    const customer = scene.customers[mode];
    const holder = new pg.Client({ connectionString: databaseUrl });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM customer WHERE id = $1 FOR UPDATE', [customer]);
    const end = flood(port, CONNECTIONS, () =>
      postRequest({
        port,
        path: `/api/v1/customers/${customer}/anonymize`,
        headers: { ...authorization(scene, mode), 'Idempotency-Key': randomUUID() },
        body: '{}',
      }),
    );
    return async () => {
      const answers = await end();
      await holder.end();
      return answers;
    };
  },
};
