import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder, readIfThere, writePrivately } from './files.ts';
import { FolderInUse, type FolderLock, lockFolder } from './lock.ts';

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

export async function isListening({ port, host }: { port: number; host: string }): Promise<boolean> {
  const socket = connect({ port, host });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

export type PortWish = { file: string; preferred: number };

/**
 * Hands over the port of the last start when it is free, else the preferred one, a neighbour, or any. Until `use`
 * ends (the server listens, or failed) no other start of this user chooses it too: both would find it free, and
 * the one that came second would take the other's server for its own.
 */
export async function withPort<T>({ file, preferred }: PortWish, use: (port: number) => Promise<T>): Promise<T> {
  const remembered = Number(readIfThere(file));
  const isPort = Number.isInteger(remembered) && remembered > 0 && remembered < 65_536;
  const neighbours = Array.from({ length: NEIGHBOURS_TRIED }, (_, offset) => preferred + offset);
  const { port, lock } = await reserve(isPort ? [remembered, ...neighbours] : neighbours);
  try {
    writePrivately(file, String(port));
    return await use(port);
  } finally {
    lock?.release();
  }
}

/** For a caller that cannot tell when its server listens. */
export function choosePort(wish: PortWish): Promise<number> {
  return withPort(wish, async (port) => port);
}

async function reserve(candidates: number[]): Promise<{ port: number; lock: FolderLock | null }> {
  const folder = join(tmpdir(), `fatura-ports-${process.getuid?.() ?? 'user'}`);
  makeFolder(folder);
  for (const port of candidates) {
    if ((await whyNotFree({ port, host: '127.0.0.1' })) !== null) continue;
    const lock = lockIfFree(folder, port);
    if (lock === null) continue;
    if ((await whyNotFree({ port, host: '127.0.0.1' })) === null) return { port, lock };
    lock.release();
  }
  return { port: await anyFreePort(), lock: null };
}

function lockIfFree(folder: string, port: number): FolderLock | null {
  try {
    return lockFolder({ folder, purpose: String(port) });
  } catch (error) {
    if (error instanceof FolderInUse) return null;
    throw error;
  }
}

async function anyFreePort(): Promise<number> {
  const server = createServer().listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('The system gave no TCP port.');
  return address.port;
}
