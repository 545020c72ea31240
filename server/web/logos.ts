import express, { type Response, type Router } from 'express';
import { findLogo, type Logo } from '../accounts/look.ts';
import { workFor } from '../admission/tenant.ts';
import { run } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { setRoute } from '../http/request.ts';
import { FairSemaphore, NoPermit } from '../kernel/fair-semaphore.ts';

/** The path of logos, from that of the service. */
export const LOGOS = 'logos';

const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Answers with logos that are in flight at once, which so fill at most 8 MiB. One logo has a few, so that a crowd that asks
 * for it leaves others some.
 */
const BOUNDS = { total: 32, each: 4, queue: 16, timeoutMs: 2_000 } as const;
const RETRY_SECONDS = 1;

/** A merchant's file from our origin: an image and never a page. Its name changes with its content; mails show it elsewhere. */
const HEADERS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
};

type Kept = Pick<Logo, 'mediaType' | 'content'>;

/** Reads a logo once for all who ask for it meanwhile. It is not kept: one that was removed is gone at once. */
function createReader({ pool }: Pick<Deps, 'pool'>): (digest: string) => Promise<Kept | undefined> {
  const reading = new Map<string, Promise<Kept | undefined>>();
  const read = async (digest: string): Promise<Kept | undefined> => {
    try {
      // All logos count as one caller, so that they leave connections to those who open pages.
      const [logo] = await workFor(LOGOS, () => run(pool, findLogo, { digest }));
      return logo;
    } finally {
      reading.delete(digest);
    }
  };
  return (digest) => {
    const under = reading.get(digest) ?? read(digest);
    reading.set(digest, under);
    return under;
  };
}

/** Takes a permit until the answer has left; answers, and resolves to false, where there is none. */
async function hold(semaphore: FairSemaphore, response: Response, digest: string): Promise<boolean> {
  try {
    const release = await semaphore.acquire(digest);
    if (response.closed) release();
    else response.once('close', release);
    return true;
  } catch (error) {
    if (!(error instanceof NoPermit)) throw error;
    response.req.refusedWith = 'SERVICE_UNAVAILABLE';
    response.status(503).set('Cache-Control', 'no-store').set('Retry-After', String(RETRY_SECONDS)).end();
    return false;
  }
}

/** Serves the logos that were kept, each by its digest (docs/product/account.md#logo). */
export function logoRouter(deps: Pick<Deps, 'pool'>): Router {
  const router = express.Router({ strict: true });
  const semaphore = new FairSemaphore(BOUNDS);
  const read = createReader(deps);
  router.get('/:digest', async (request, response, next) => {
    setRoute(request, { path: `/${LOGOS}/:digest`, scope: 'read' });
    const { digest } = request.params;
    if (!DIGEST.test(digest)) return next();
    if (!(await hold(semaphore, response, digest))) return;
    const logo = await read(digest);
    if (logo === undefined) return next();
    response.set({ ...HEADERS, 'Content-Type': logo.mediaType }).send(logo.content);
  });
  return router;
}
