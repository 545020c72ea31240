import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, deflateSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

function chunk(type: string, content: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type), content]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(content.length, 0);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const EIGHT_BIT_RGB = [8, 2, 0, 0, 0];

/** A picture that browsers show: stripes of two colors; `seed` makes it another one. */
export function png({ width = 120, height = 40, seed = 0 } = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set(EIGHT_BIT_RGB, 8);
  const pixel = (x: number): number[] => (Math.floor(x / 12) % 2 === 0 ? [0x6b, 0x21, 0xa8] : [0xf2, 0xb1, seed % 256]);
  const row = Buffer.from([0, ...Array.from({ length: width }, (_, x) => pixel(x)).flat()]);
  const rows = Buffer.concat(Array.from({ length: height }, () => row));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', new Uint8Array()),
  ]);
}

/** A picture with so many bytes in all: what is behind its end is not looked at. */
export const pngOf = (bytes: number): Buffer => Buffer.concat([png(), Buffer.alloc(bytes)]).subarray(0, bytes);

/** One pixel each, made by other programs. */
export const samples = {
  jpeg: Buffer.from(
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
    'base64',
  ),
  webp: Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64'),
  gif: Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64'),
  svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'),
} as const;

/** A server that has what a merchant shows. */
export interface FileServer {
  readonly origin: string;
  /** The paths that were asked for. */
  readonly asked: (string | undefined)[];
}

/** Serves until the test has ended. */
export async function serveFiles(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<FileServer> {
  const asked: (string | undefined)[] = [];
  const server = await new Promise<Server>((resolve) => {
    const listening = createServer((request, response) => {
      asked.push(request.url);
      answer(request, response);
    }).listen(0, '127.0.0.1', () => resolve(listening));
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, asked };
}

/** The URL of one file that is served as it is. */
export async function serveFile(content: Uint8Array, type = 'application/octet-stream'): Promise<string> {
  const { origin } = await serveFiles((_, response) => response.writeHead(200, { 'Content-Type': type }).end(content));
  return `${origin}/logo`;
}
