import { getRequest } from '../raw-http.ts';
import { type Attacker, authorization, flood } from './attacker.ts';

const CONNECTIONS = 64;

/** Lists whose filter lets nothing through, so that each walks over all that the account has. */
export const slowLists: Attacker = {
  name: 'slow lists',
  modes: ['live', 'sandbox'],
  start: async (scene, mode) => {
    const { port } = scene;
    const path = '/api/v1/customers?created_lte=1&limit=100';
    return flood(port, CONNECTIONS, () => getRequest({ port, path, headers: authorization(scene, mode) }));
  },
};
