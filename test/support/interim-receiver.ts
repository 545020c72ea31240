import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';

/** Interim answers as servers and proxies send them, asked for or not, before the final one (RFC 9110 §15.2). */
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const PROCESSING = 'HTTP/1.1 102 Processing\r\nx: y\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n';

export const interims: readonly (readonly [name: string, answers: readonly string[]])[] = [
  ['100', [CONTINUE]],
  ['102', [PROCESSING]],
  ['103', [HINTS]],
  ['an unknown 1xx', ['HTTP/1.1 199 Odd\r\n\r\n']],
  ['100 three times', [CONTINUE, CONTINUE, CONTINUE]],
  ['103 three times', [HINTS, HINTS, HINTS]],
  ['100, 102 and 103', [CONTINUE, PROCESSING, HINTS]],
  ['103, 100 and 102', [HINTS, CONTINUE, PROCESSING]],
];

const PIECE = /.{1,7}/gs;

/** How the answers are cut into packets, and how long the receiver waits behind each. */
export const ways: Readonly<
  Record<string, { cut: (answers: readonly string[]) => readonly string[]; waitMs: number }>
> = {
  'in one packet': { cut: (answers) => [answers.join('')], waitMs: 0 },
  'in a packet each': { cut: (answers) => answers, waitMs: 5 },
  'in pieces of seven bytes': { cut: (answers) => answers.join('').match(PIECE) ?? [], waitMs: 2 },
  slowly: { cut: (answers) => answers, waitMs: 150 },
};

interface Receiver {
  readonly port: number;
  /** How many connections were opened. */
  readonly connections: () => number;
}

/** A receiver that answers each request with interim answers, then with a final one of this body. */
export async function interimReceiver({
  answers,
  way,
  body = '{}',
  identity,
}: {
  answers: readonly string[];
  way: string;
  body?: string;
  identity?: { readonly cert: string; readonly key: string };
}): Promise<Receiver> {
  const { cut, waitMs } = ways[way] ?? { cut: () => [], waitMs: 0 };
  const final = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  let connections = 0;
  const serve = (socket: Socket): void => {
    connections += 1;
    socket.on('error', () => {}); // the sender may hang up in the middle of an answer
    socket.setNoDelay(true);
    let heard = '';
    socket.on('data', async (chunk) => {
      heard += chunk;
      if (!isWhole(heard)) return;
      heard = '';
      for (const packet of cut([...answers, final])) {
        socket.write(packet);
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    });
  };
  const server: Server = identity === undefined ? createServer(serve) : createTlsServer(identity, serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // a TCP server has one
  return { port, connections: () => connections };
}

function isWhole(heard: string): boolean {
  const [head = '', ...rest] = heard.split('\r\n\r\n');
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
  return rest.length > 0 && rest.join('\r\n\r\n').length >= length;
}
