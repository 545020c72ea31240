import type { Attacker } from './attacker.ts';
import { floodEndpoints, receive } from './receivers.ts';

/** As many events as the account's limits let it make, each to five endpoints that take them at once. */
export const cannon: Attacker = {
  name: 'cannon',
  modes: ['sandbox'],
  start: async (scene, mode) => {
    const receiver = await receive((response) => response.writeHead(204).end());
    const end = await floodEndpoints(scene, mode, (nth) => `${receiver.url}/${nth}`);
    return async () => {
      const answers = await end();
      receiver.close();
      return answers;
    };
  },
};
