import { connect, type Socket } from 'node:net';
import { getRequest } from '../raw-http.ts';
import { type Answers, type Attacker, authorization } from './attacker.ts';

const CONNECTIONS = 64;
/** Beyond one, requests of a connection wait behind the answer that nobody takes. */
const REQUESTS_EACH = 4;

/** Asks for the largest pages and takes nothing of them; opens another connection for each that is ended. */
export const slowReaders: Attacker = {
  name: 'readers that take nothing',
  modes: ['live', 'sandbox'],
  start: async (scene, mode) => {
    const answers: Answers = { cut: 0 };
    const { port } = scene;
    const request = getRequest({ port, path: '/api/v1/invoices?limit=100', headers: authorization(scene, mode) });
    const open = new Set<Socket>();
    let isOver = false;
    const begin = (): void => {
      const socket = connect({ host: '127.0.0.1', port }).pause();
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        if (isOver) return;
        answers.cut = (answers.cut ?? 0) + 1;
        begin();
      });
      for (let nth = 0; nth < REQUESTS_EACH; nth += 1) socket.write(request);
    };
    for (let nth = 0; nth < CONNECTIONS; nth += 1) begin();
    return async () => {
      isOver = true;
      for (const socket of open) socket.destroy();
      return answers;
    };
  },
};
