import express, { type Router } from 'express';
import { findLogo } from '../accounts/profile.ts';
import { workFor } from '../db/owner.ts';
import { run } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { setRoute } from '../http/request.ts';

/** The path of logos, from that of the service. */
export const LOGOS = 'logos';

const DIGEST = /^[0-9a-f]{64}$/;

/** A merchant's file from our origin: an image and never a page. Its name changes with its content; mails show it elsewhere. */
const HEADERS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
};

/** Serves the logos that were kept, each by its digest (docs/product/account.md#logo). */
export function logoRouter({ pool }: Pick<Deps, 'pool'>): Router {
  const router = express.Router({ strict: true });
  router.get('/:digest', async (request, response, next) => {
    setRoute(request, { path: `/${LOGOS}/:digest`, scope: 'read' });
    const { digest } = request.params;
    const [logo] = DIGEST.test(digest) ? await workFor({ page: digest }, () => run(pool, findLogo, { digest })) : [];
    if (logo === undefined) return next();
    response.set({ ...HEADERS, 'Content-Type': logo.mediaType }).send(logo.content);
  });
  return router;
}
