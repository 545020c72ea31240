import { createHash } from 'node:crypto';
import { imageDimensionsFromData } from 'image-dimensions';
import type { Logo } from '../accounts/look.ts';
import type { Download, Sender } from '../events/deliveries/http/sender.ts';
import { readTarget } from '../events/deliveries/http/target-url.ts';
import { BillingError, invalidParameter } from '../kernel/errors.ts';
import { LOGO_BYTES_MAX, LOGO_RULE, LOGO_TYPES, logoForm } from './rules.ts';

const PARAM = 'account.logo_url';

/** A fetch may take so long, and whoever waits for it a little longer (docs/product/requests.md#time-of-an-answer). */
const FETCH_TIMEOUT_MS = 10_000;
const BYTES = new Intl.NumberFormat('en-US');

const refuse = (came: string): BillingError =>
  new BillingError('LOGO_REFUSED', { message: `${PARAM} ${LOGO_RULE}; what came: ${came}`, param: PARAM });

function contentOf(download: Download): Extract<Download, { ok: true }> {
  if (download.ok) return download;
  const { failure, detail } = download;
  if (failure === 'busy') {
    throw new BillingError('SERVICE_UNAVAILABLE', { message: 'Too many logos are being fetched; repeat shortly' });
  }
  throw refuse(failure === 'too_large' ? `more than ${BYTES.format(LOGO_BYTES_MAX)} bytes` : `${failure}: ${detail}`);
}

/** Whose logo is fetched, and by the rules of which mode. */
type Owner = { readonly accountId: string; readonly liveMode: boolean };

/** Fetches a logo, judged by its bytes and not by what its server says of them. */
export async function fetchLogo(sender: Pick<Sender, 'get'>, url: string, owner: Owner): Promise<Logo> {
  const { accountId, liveMode } = owner;
  const target = readTarget(url, { accountId, liveMode });
  if ('problem' in target) throw invalidParameter(PARAM, `${PARAM} ${target.problem}`);
  const asked = { target, accept: LOGO_TYPES.join(', '), bytesMax: LOGO_BYTES_MAX, timeoutMs: FETCH_TIMEOUT_MS };
  const { content, mediaType: declared } = contentOf(await sender.get(asked));
  const form = logoForm(imageDimensionsFromData(content) ?? null, declared);
  if ('came' in form) throw refuse(form.came);
  return { ...form, content, digest: createHash('sha256').update(content).digest('hex') };
}
