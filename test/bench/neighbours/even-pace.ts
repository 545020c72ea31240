import { setTimeout as sleep } from 'node:timers/promises';
import { postRequest, RawConnection } from '../raw-http.ts';
import { type Attacker, authorization } from './attacker.ts';

const CONNECTIONS = 2;
/** Each sends one in so many milliseconds: 100 a second together. */
const EVERY_MS = 20;

/** Harms nobody: what is measured beside it is what a hundred requests a second cost on this machine, and no attacker is held to less. */
export const evenPace: Attacker = {
  name: 'for comparison: a hundred products a second',
  modes: ['live'],
  async start(scene, mode) {
    const body = JSON.stringify({ product: { name: 'x' } });
    const request = postRequest({
      port: scene.port,
      path: '/api/v1/products',
      headers: authorization(scene, mode),
      body,
    });
    const answers: Record<string, number> = {};
    let isOver = false;
    const lane = async (nth: number): Promise<void> => {
      const connection = await RawConnection.open(scene.port);
      let nextMs = performance.now() + (nth * EVERY_MS) / CONNECTIONS;
      while (!isOver) {
        await sleep(Math.max(0, nextMs - performance.now()));
        nextMs += EVERY_MS;
        const { status } = await connection.send(request);
        answers[status] = (answers[status] ?? 0) + 1;
      }
      connection.close();
    };
    const lanes = Array.from({ length: CONNECTIONS }, (_, nth) => lane(nth));
    return async () => {
      isOver = true;
      await Promise.all(lanes);
      return answers;
    };
  },
};
