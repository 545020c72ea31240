import { randomBytes } from 'node:crypto';
import { postRequest } from '../raw-http.ts';
import { type Attacker, authorization, flood } from './attacker.ts';
import { clientOf, subscribe } from './receivers.ts';

const CONNECTIONS = 32;
const PRODUCT = JSON.stringify({ product: { name: 'x' } });

/** Endpoints whose names no name server ever answers for. */
export const silentNames: Attacker = {
  name: 'names that nobody answers for',
  modes: ['live', 'sandbox'],
  start: async (scene, mode) => {
    const name = randomBytes(8).toString('hex');
    const fatura = clientOf(scene, scene.keys[mode]);
    const removeAll = await subscribe(fatura, (nth) => `https://${name}${nth}.silent.example/`);
    const request = postRequest({
      port: scene.port,
      path: '/api/v1/products',
      headers: authorization(scene, mode),
      body: PRODUCT,
    });
    const end = flood(scene.port, CONNECTIONS, () => request);
    return async () => {
      const answers = await end();
      await removeAll();
      return answers;
    };
  },
};
