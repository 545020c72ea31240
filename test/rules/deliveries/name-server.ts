import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, isIPv6, type Socket } from 'node:net';
import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  type Packet,
  type Question,
  RECURSION_DESIRED,
  streamDecode,
  streamEncode,
  TRUNCATED_RESPONSE,
} from 'dns-packet';
import { onTestFinished } from 'vitest';

export type AddressType = 'A' | 'AAAA';

/** The numbers of RFC 1035. */
export const RCODE = { serverFailure: 2, nameError: 3, refused: 5 } as const;

/** What a name server says of a name. */
export interface NameRecords {
  readonly addresses?: readonly string[];
  /** The name that it stands for, whose addresses these are. */
  readonly cname?: string;
  /** Seconds for which others may keep the answer. */
  readonly ttl?: number;
  /** That there is more than a datagram holds: whoever asks asks again by TCP. */
  readonly byTcp?: boolean;
  readonly rcode?: number;
}

/** What a name has: its addresses (an empty list: no such name), or all that is said of it; null: the server says nothing. */
type Zone = (name: string, type: AddressType) => readonly string[] | NameRecords | null;

/** What is said in turn: the first to the first look-up, which asks for both types, the last for ever. */
export function inTurn<T>(answers: readonly [T, ...T[]]): (type: AddressType) => T {
  const asked = { A: 0, AAAA: 0 };
  return (type) => answers[Math.min(asked[type]++, answers.length - 1)] ?? answers[0];
}

/** A name server on loopback, as the sender takes it, and the names that it was asked for. */
export interface NameServer {
  readonly address: string;
  readonly asked: string[];
}

/** A name server that speaks UDP and TCP, until the test has ended or `onEnd` calls back. */
export async function nameServer(zone: Zone, onEnd: (end: () => void) => void = onTestFinished): Promise<NameServer> {
  const asked: string[] = [];
  const answerTo = (query: Packet, overTcp: boolean): Packet | null => {
    const [question] = query.questions ?? [];
    if (question === undefined) throw new Error('a query without a question');
    const name = question.name.toLowerCase();
    asked.push(name);
    const said = zone(name, addressType(question));
    return said === null ? null : answer(query, { question, overTcp, records: recordsOf(said) });
  };
  // The port of TCP first: of UDP far fewer are in use.
  const byTcp = createServer((connection) => answerByTcp(connection, answerTo)).listen(0, '127.0.0.1');
  await once(byTcp, 'listening');
  const { port } = byTcp.address() as AddressInfo; // a TCP server has one
  const byUdp = createSocket('udp4');
  byUdp.on('message', (bytes, from) => {
    const said = answerTo(decode(bytes), false);
    if (said !== null) byUdp.send(encode(said), from.port, from.address);
  });
  byUdp.bind(port, '127.0.0.1');
  await once(byUdp, 'listening');
  onEnd(() => {
    byTcp.close();
    byUdp.close();
  });
  return { address: `127.0.0.1:${port}`, asked };
}

function addressType({ type }: Question): AddressType {
  if (type !== 'A' && type !== 'AAAA') throw new Error(`a question of the type ${type}`);
  return type;
}

function recordsOf(said: readonly string[] | NameRecords): NameRecords {
  if (!('length' in said)) return said;
  return said.length === 0 ? { rcode: RCODE.nameError } : { addresses: said };
}

function answerByTcp(connection: Socket, answerTo: (query: Packet, overTcp: true) => Packet | null): void {
  let received = Buffer.alloc(0);
  connection.on('error', () => {}); // whoever asked may have heard enough
  connection.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
    const said = answerTo(streamDecode(received), true);
    if (said !== null) connection.end(streamEncode(said));
  });
}

function answer(
  { id, flags = 0 }: Packet,
  { question, overTcp, records }: { question: Question; overTcp: boolean; records: NameRecords },
): Packet {
  const { addresses = [], cname, ttl = 0, byTcp = false, rcode = 0 } = records;
  const isCut = byTcp && !overTcp;
  const owner = cname ?? question.name;
  const alias: Answer[] = cname === undefined ? [] : [{ type: 'CNAME', name: question.name, ttl, data: cname }];
  const found = addresses.map((data): Answer => ({ type: isIPv6(data) ? 'AAAA' : 'A', name: owner, ttl, data }));
  return {
    type: 'response',
    ...(id === undefined ? {} : { id }),
    flags: (flags & RECURSION_DESIRED) | AUTHORITATIVE_ANSWER | (isCut ? TRUNCATED_RESPONSE : 0) | rcode,
    questions: [question],
    answers: isCut ? [] : [...alias, ...found],
  };
}
