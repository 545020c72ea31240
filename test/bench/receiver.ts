import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { cutMessage } from './raw-http.ts';

/** What the bench asks of the receiver. */
export type ToReceiver = { ask: 'begin'; secrets: Secrets; until: number } | { ask: 'report' };

/** The signing secret of each path that is an endpoint. */
export type Secrets = Readonly<Record<string, string>>;

/** What the receiver tells: its port, that as many distinct deliveries as awaited have come, or its counts. */
export type FromReceiver =
  | { told: 'port'; port: number }
  | { told: 'reached'; atMs: number }
  | { told: 'report'; counts: ReceiverCounts };

export interface ReceiverCounts {
  /** Deliveries whose signature and time are right, repeats included. */
  readonly valid: number;
  readonly distinct: number;
  readonly invalid: number;
  /** Most connections that were open at once. */
  readonly connectionsMax: number;
}

const TOLERANCE_MS = 300_000;
const ACCEPTED = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
const REFUSED = Buffer.from('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n');

const headerOf = (head: string, name: string): string => {
  const start = head.toLowerCase().indexOf(`\r\n${name}:`);
  if (start === -1) return '';
  const end = head.indexOf('\r\n', start + 2);
  return head.slice(start + name.length + 3, end === -1 ? undefined : end).trim();
};

function createVerifier(secrets: Secrets) {
  const keyOf = (secret: string) => createSecretKey(Buffer.from(secret.slice('whsec_'.length), 'base64'));
  const keys = new Map(Object.entries(secrets).map(([path, secret]) => [path, keyOf(secret)]));
  /** The path and the id of a delivery that is signed rightly and recently; null otherwise. */
  return (head: string, body: Buffer): string | null => {
    const path = head.slice('POST '.length, head.indexOf(' ', 'POST '.length));
    const key = keys.get(path);
    if (key === undefined) return null;
    const id = headerOf(head, 'webhook-id');
    const timestamp = headerOf(head, 'webhook-timestamp');
    if (Math.abs(Date.now() - Number(timestamp) * 1_000) > TOLERANCE_MS) return null;
    const wanted = Buffer.from(createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64'));
    const isSigned = headerOf(head, 'webhook-signature')
      .split(' ')
      .map((signature) => Buffer.from(signature.slice('v1,'.length)))
      .some((signature) => signature.length === wanted.length && timingSafeEqual(signature, wanted));
    return isSigned ? `${path} ${id}` : null;
  };
}

type Verify = ReturnType<typeof createVerifier>;

class Counting {
  readonly #verify: Verify;
  readonly #until: number;
  readonly #onReached: () => void;
  readonly #seen = new Set<string>();
  #valid = 0;
  #invalid = 0;

  constructor(options: { verify: Verify; until: number; onReached: () => void }) {
    this.#verify = options.verify;
    this.#until = options.until;
    this.#onReached = options.onReached;
  }

  take(head: string, body: Buffer): boolean {
    const delivery = this.#verify(head, body);
    if (delivery === null) {
      this.#invalid += 1;
      return false;
    }
    this.#valid += 1;
    const before = this.#seen.size;
    this.#seen.add(delivery);
    if (before < this.#until && this.#seen.size === this.#until) this.#onReached();
    return true;
  }

  counts(connectionsMax: number): ReceiverCounts {
    return { valid: this.#valid, distinct: this.#seen.size, invalid: this.#invalid, connectionsMax };
  }
}

function receive(socket: Socket, take: (head: string, body: Buffer) => boolean): void {
  let received: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    for (let message = cutMessage(received); message !== null; message = cutMessage(received)) {
      received = message.rest;
      socket.write(take(message.head, message.body) ? ACCEPTED : REFUSED);
      if (received.length === 0) return;
    }
  });
}

/** A merchant's receiver in a process of its own: it checks every signature and counts what is right. */
function serve(): void {
  const tell = (told: FromReceiver): void => {
    process.send?.(told);
  };
  const idle = () => new Counting({ verify: () => null, until: 0, onReached: () => {} });
  let counting = idle();
  let connections = 0;
  let connectionsMax = 0;
  const server = createServer((socket) => {
    connections += 1;
    connectionsMax = Math.max(connectionsMax, connections);
    socket.once('close', () => {
      connections -= 1;
    });
    receive(socket, (head, body) => counting.take(head, body));
  });
  process.on('SIGINT', () => {}); // the parent decides in which order things stop
  process.once('disconnect', () => process.exit(0));
  process.on('message', (message) => {
    const asked = message as ToReceiver; // only the bench speaks on this channel
    if (asked.ask === 'report') return tell({ told: 'report', counts: counting.counts(connectionsMax) });
    const onReached = () => tell({ told: 'reached', atMs: Date.now() });
    counting = new Counting({ verify: createVerifier(asked.secrets), until: asked.until, onReached });
    connectionsMax = connections;
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (address !== null && typeof address === 'object') tell({ told: 'port', port: address.port });
  });
}

if (import.meta.main) serve();
