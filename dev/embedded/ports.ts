import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { codeOf } from '../../server/kernel/errors.ts';

const NEIGHBOURS_TRIED = 20;
const LOOPBACK = '127.0.0.1';

export type Address = { port: number; host: string };

/** A sentence that names the setting to change; null: the port is free. */
export async function describePortInUse(setting: string, address: Address): Promise<string | null> {
  const reason = await whyNotFree(address);
  if (reason === null) return null;
  const where = `${address.host}:${address.port}`;
  if (reason === 'EADDRINUSE') return `${setting}: another program listens on ${where}; set ${setting} to a free port.`;
  return `${setting}: nobody can listen on ${where} here (${reason}); set HOST and ${setting} to what this machine allows.`;
}

/** As the system's code: EADDRINUSE, EACCES, EADDRNOTAVAIL … Null: one can listen there. */
async function whyNotFree({ port, host }: Address): Promise<string | null> {
  const server = createServer();
  try {
    await once(server.listen({ port, host, exclusive: true }), 'listening');
    return null;
  } catch (error) {
    return codeOf(error) ?? String(error);
  } finally {
    server.close();
  }
}

async function firstFree(ports: number[], host: string): Promise<number | null> {
  for (const port of ports) if ((await whyNotFree({ port, host })) === null) return port;
  return null;
}

/** The preferred port when it is free, else a neighbour, or any. */
export async function freePortFrom(preferred: number): Promise<number> {
  const neighbours = Array.from({ length: NEIGHBOURS_TRIED }, (_, offset) => preferred + offset);
  return (await firstFree(neighbours, LOOPBACK)) ?? freePort();
}

/** Below what systems give to outgoing connections and to whoever takes any port: those come and go by the hundred. */
const LASTING = { from: 10_000, to: 32_000 };
const LASTING_TRIED = 100;

/** A port that is free, and not likely to be taken by chance before it is listened on. */
export async function freePort(host = LOOPBACK): Promise<number> {
  const some = Array.from({ length: LASTING_TRIED }, () => randomInt(LASTING.from, LASTING.to));
  const port = await firstFree(some, host);
  if (port === null) throw new Error(`There is no free TCP port on ${host}.`);
  return port;
}

/** Nobody guesses it: one of the 16 million addresses of this machine, where the system has more than one. */
export async function hiddenAddress(): Promise<Address> {
  const random = [127, randomInt(1, 255), randomInt(256), randomInt(1, 255)].join('.');
  const host = (await firstFree([0], random)) === null ? LOOPBACK : random;
  return { host, port: await freePort(host) };
}
