import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' };
const NAME_ERROR = 3;

/** What a name has: IPv4 addresses (none: no such name); null: the server says nothing. */
type Zone = (name: string, type: 'A' | 'AAAA') => readonly string[] | null;

/** A name server on loopback, as the sender takes it, and the names that it was asked for. */
export interface NameServer {
  readonly address: string;
  readonly asked: string[];
}

export async function nameServer(zone: Zone): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    asked.push(name);
    const addresses = zone(name, type);
    if (addresses !== null) socket.send(answer(query.subarray(0, end), addresses), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

function readQuestion(query: Buffer): { name: string; type: 'A' | 'AAAA'; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = TYPES[query.readUInt16BE(at + 1)];
  if (type === undefined) throw new Error('a question of another type');
  return { name: labels.join('.').toLowerCase(), type, end: at + 5 };
}

function answer(question: Buffer, addresses: readonly string[]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | (addresses.length === 0 ? NAME_ERROR : 0), 2);
  head.writeUInt16BE(addresses.length, 6);
  head.fill(0, 8, 12); // what the query added behind its question is not repeated
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([head, ...records]);
}
