import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An answer slower than this breaks the run: the service itself gives up after 25 s. */
const ANSWER_TIMEOUT_MS = 30_000;
const HEAD_BYTES_MAX = 64 * 1_024;
const HEAD_END = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;

export interface RawAnswer {
  readonly status: number;
  readonly body: Buffer;
}

interface Message {
  readonly head: string;
  readonly body: Buffer;
  readonly rest: Buffer;
}

/** Cuts the first whole HTTP/1.1 message off; null while it is not complete. Its length must be told by Content-Length. */
export function cutMessage(received: Buffer): Message | null {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd === -1) {
    if (received.length > HEAD_BYTES_MAX) throw new Error(`an HTTP head is longer than ${HEAD_BYTES_MAX} bytes`);
    return null;
  }
  const head = received.toString('latin1', 0, headEnd);
  const length = CONTENT_LENGTH.exec(head)?.[1];
  if (length === undefined) throw new Error(`no Content-Length in ${head.slice(0, 200)}`);
  const bodyStart = headEnd + HEAD_END.length;
  const bodyEnd = bodyStart + Number(length);
  if (received.length < bodyEnd) return null;
  return { head, body: received.subarray(bodyStart, bodyEnd), rest: received.subarray(bodyEnd) };
}

/** One kept-alive connection that costs the machine as little as can be: the load must not take what it measures. */
export class RawConnection {
  #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve: (answer: RawAnswer) => void; reject: (error: Error) => void } | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk)); // without an encoding it is no string
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server closed the connection')));
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => this.#fail(new Error(`no answer within ${ANSWER_TIMEOUT_MS} ms`)));
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ host: '127.0.0.1', port });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** Sends a whole request; one at a time. */
  send(request: string | Buffer): Promise<RawAnswer> {
    if (this.#waiting !== null) return Promise.reject(new Error('the former request is still under way'));
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = null;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    try {
      const message = cutMessage(this.#received);
      if (message === null) return;
      this.#received = message.rest;
      const { resolve } = this.#waiting ?? {};
      this.#waiting = null;
      // The status stands after `HTTP/1.1 `.
      resolve?.({ status: Number(message.head.slice(9, 12)), body: message.body });
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #fail(error: Error): void {
    const { reject } = this.#waiting ?? {};
    this.#waiting = null;
    this.#socket.destroy();
    reject?.(error);
  }
}

interface RawRequest {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const headOf = (method: string, { port, path, headers }: RawRequest): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${lines.join('')}`;
};

/** A GET, ready for the wire. */
export const getRequest = (request: RawRequest): string => `${headOf('GET', request)}\r\n`;

/** A POST of a JSON body, ready for the wire. */
export function postRequest({ body, ...request }: RawRequest & { readonly body: string }): string {
  const told = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${headOf('POST', request)}${told}\r\n${body}`;
}
