import { getRequest } from '../raw-http.ts';
import { type Attacker, authorization, flood } from './attacker.ts';

const CONNECTIONS = 64;

/** The largest pages that there are. */
export const hugePages: Attacker = {
  name: 'huge pages',
  modes: ['live', 'sandbox'],
  start: async (scene, mode) => {
    const { port } = scene;
    const path = '/api/v1/invoices?limit=100';
    return flood(port, CONNECTIONS, () => getRequest({ port, path, headers: authorization(scene, mode) }));
  },
};
