import { postRequest } from '../raw-http.ts';
import { type Attacker, authorization, flood } from './attacker.ts';

/** As many as an account may have in flight in live mode. */
const CONNECTIONS = 64;

/** Ordinary requests, as many as the account may have in flight at once. */
export const products: Attacker = {
  name: 'products',
  modes: ['live', 'sandbox'],
  start: async (scene, mode) => {
    const body = JSON.stringify({ product: { name: 'x' } });
    const { port } = scene;
    const request = postRequest({ port, path: '/api/v1/products', headers: authorization(scene, mode), body });
    return flood(port, CONNECTIONS, () => request);
  },
};
