import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

const pack = promisify(gzip);

interface Packed {
  readonly plain: string;
  readonly packed: Buffer;
  readonly etag: string;
}

const DIGEST_LENGTH = 22;

async function packed(plain: string): Promise<Packed> {
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, DIGEST_LENGTH);
  // A weak one, for the text packed and not packed alike.
  return { plain, packed: await pack(plain, { level: 9 }), etag: `W/"${digest}"` };
}

/** Texts that are the same for everybody: each is read and packed when it is first asked for, and kept. */
export class Documents {
  readonly #kept = new Map<string, Promise<Packed>>();

  /** Answers the text of this name; `read` may name only as many as there are, for each is kept. */
  async send(
    { request, response }: { request: Request; response: Response },
    { name, type, read }: { name: string; type: string; read: () => string },
  ): Promise<void> {
    let known = this.#kept.get(name);
    if (known === undefined) {
      known = packed(read());
      this.#kept.set(name, known);
    }
    const { plain, packed: zipped, etag } = await known;
    response.set({ ETag: etag, 'Cache-Control': 'no-cache' }).vary('Accept-Encoding').type(type);
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    if (request.acceptsEncodings().includes('gzip')) response.set('Content-Encoding', 'gzip').end(zipped);
    else response.end(plain);
  }
}
