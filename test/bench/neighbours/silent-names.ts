import { randomBytes } from 'node:crypto';
import type { Attacker } from './attacker.ts';
import { floodEndpoints } from './receivers.ts';

/** Endpoints whose names no name server ever answers for. */
export const silentNames: Attacker = {
  name: 'names that nobody answers for',
  modes: ['live', 'sandbox'],
  start: (scene, mode) => {
    const name = randomBytes(8).toString('hex');
    return floodEndpoints(scene, mode, (nth) => `https://${name}${nth}.silent.example/`);
  },
};
