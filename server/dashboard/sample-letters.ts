import type { Request, Response } from 'express';
import type { SampleFrameQuery, SampleLetter, SampleLetterQuery } from '../../contract/sample-letters.ts';
import { readLook } from '../accounts/look.ts';
import type { RateLimit } from '../admission/rate-limit.ts';
import { BillingError } from '../kernel/errors.ts';
import { isLive, type Mode } from '../kernel/mode.ts';
import { sampleLetter } from '../mail/sample-letters.ts';
import type { OpenSession } from '../staff/sessions.ts';
import { LETTER_FRAME } from '../web/page.ts';
import { membershipIn, requestedMode, requireMembership, requireSession, servedMode } from './authorize.ts';
import type { DashboardDeps } from './session-routes.ts';

/** Letters are shown as their sentence is typed: four a second. */
const LIMIT: RateLimit = { name: 'sample_letter', max: 240, block: 10 };

interface Asked {
  readonly session: OpenSession;
  readonly accountId: string;
  readonly mode: Mode;
}

async function letterFor(
  deps: DashboardDeps,
  { session, accountId, mode }: Asked,
  { occasion, sentence, attach_receipt: attach }: SampleLetterQuery,
) {
  const { allowed, resetSeconds } = await deps.rateLimiter.consume(session.staffId, LIMIT);
  if (!allowed) {
    throw new BillingError('RATE_LIMITED', {
      message: `${LIMIT.max} letters in a minute were shown; repeat in ${resetSeconds} s`,
      retryAfterSeconds: resetSeconds,
    });
  }
  const liveMode = isLive(mode);
  const look = await readLook(deps.pool, { accountId, liveMode });
  const sender = {
    ...{ look, liveMode },
    sentence: sentence ?? null,
    logo: look.logoDigest === null ? null : deps.links.logo(look.logoDigest),
    attachesReceipt: attach === 'true',
    now: deps.clock.real(),
    link: new URL('exemplo', `${deps.settings.publicUrl.replace(/\/$/, '')}/`).href,
  };
  return sampleLetter(sender, occasion);
}

/** What a mail program shows of a letter beside its HTML. Everybody who works in an account may look (docs/product/mail.md#what-an-account-says). */
export async function sampleFor(deps: DashboardDeps, req: Request, query: SampleLetterQuery): Promise<SampleLetter> {
  const session = await requireSession(deps, req);
  const { accountId } = requireMembership(session, req);
  const asked = { session, accountId, mode: requestedMode(req, deps.settings) };
  const { subject, preheader, text } = await letterFor(deps, asked, query);
  return { subject, preheader, text };
}

/** The HTML of a letter, for a frame of a screen. */
export async function frameOfSample(
  deps: DashboardDeps,
  { req, res }: { readonly req: Request; readonly res: Response },
  { account, mode, ...query }: SampleFrameQuery,
): Promise<string> {
  const session = await requireSession(deps, req);
  const { accountId } = membershipIn(session, account);
  const asked = { session, accountId, mode: servedMode(mode, deps.settings) };
  const { html } = await letterFor(deps, asked, query);
  res.set(LETTER_FRAME);
  return html;
}
