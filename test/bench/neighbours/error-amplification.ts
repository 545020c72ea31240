import { postRequest } from '../raw-http.ts';
import { type Attacker, authorization, flood } from './attacker.ts';

const CONNECTIONS = 32;
/** As many as a body may have, and so long that it is nearly as large as one may be. */
const KEYS = 2_000;
const KEY_LETTERS = 122;

/** The largest bodies, of which each field is a violation. */
export const errorAmplification: Attacker = {
  name: 'unknown fields, 255 KB',
  modes: ['live', 'sandbox'],
  start: async (scene, mode) => {
    const { port } = scene;
    const body = JSON.stringify(
      Object.fromEntries(Array.from({ length: KEYS }, (_, nth) => [`a${nth}`.padEnd(KEY_LETTERS, 'x'), 0])),
    );
    const request = postRequest({ port, path: '/api/v1/customers', headers: authorization(scene, mode), body });
    return flood(port, CONNECTIONS, () => request);
  },
};
