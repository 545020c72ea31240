import { postRequest } from '../raw-http.ts';
import { type Attacker, authorization, flood } from './attacker.ts';
import { clientOf, receive, subscribe } from './receivers.ts';

const CONNECTIONS = 32;
const PRODUCT = JSON.stringify({ product: { name: 'x' } });

/** As many events as the account's limits let it make, each to five endpoints that take them at once. */
export const cannon: Attacker = {
  name: 'cannon',
  modes: ['sandbox'],
  start: async (scene, mode) => {
    const receiver = await receive((response) => response.writeHead(204).end());
    const removeAll = await subscribe(clientOf(scene, scene.keys[mode]), (nth) => `${receiver.url}/${nth}`);
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
      receiver.close();
      return answers;
    };
  },
};
