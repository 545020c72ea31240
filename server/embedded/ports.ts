import { once } from 'node:events';
import { createServer } from 'node:net';
import { readIfThere, writePrivately } from './files.ts';

const NEIGHBOURS_TRIED = 20;

/** Why nobody can listen there now, as the system's code (EADDRINUSE, EACCES, EADDRNOTAVAIL …); null: one can. */
export async function whyNotFree({ port, host }: { port: number; host: string }): Promise<string | null> {
  const server = createServer();
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
    return null;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  } finally {
    server.close();
  }
}

/** The port of the last start when it is free, else the preferred one, a neighbour, or any. */
export async function choosePort({ file, preferred }: { file: string; preferred: number }): Promise<number> {
  const remembered = Number(readIfThere(file));
  const candidates = [
    ...(Number.isInteger(remembered) && remembered > 0 && remembered < 65_536 ? [remembered] : []),
    ...Array.from({ length: NEIGHBOURS_TRIED }, (_, offset) => preferred + offset),
  ];
  const port = (await firstFree(candidates)) ?? (await anyFreePort());
  writePrivately(file, String(port));
  return port;
}

async function firstFree(candidates: number[]): Promise<number | null> {
  for (const port of candidates) {
    if ((await whyNotFree({ port, host: '127.0.0.1' })) === null) return port;
  }
  return null;
}

async function anyFreePort(): Promise<number> {
  const server = createServer().listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('The system gave no TCP port.');
  return address.port;
}
