import { X509Certificate } from 'node:crypto';
import { type Connection, run, statement } from '../../../db/statement.ts';
import { CHARGES_PER_SECOND } from '../../../kernel/charge-rate.ts';
import { DAY, MINUTE, type Timestamp } from '../../../kernel/time.ts';
import { profileOf } from '../../acquirer/api-pix/profiles.ts';
import { ApiPixSettings, isSameClient, problemsOf, showSettings, urlsOf } from '../../acquirer/api-pix/settings.ts';
import type { AcquirerCertificate, LiveMethod } from '../method.ts';
import { SettingsInvalid } from '../rules.ts';
import { receiveNotice } from './notices.ts';
import { openApiPix } from './open.ts';
import { options } from './options.ts';
import { probePix } from './probe.ts';
import { sweep } from './sweep.ts';

const NOT_GIVEN = {
  clientSecret: null,
  baseUrl: null,
  tokenUrl: null,
  ca: null,
  callbackCa: null,
  extras: {},
  receiverAccount: null,
  receiverType: null,
  receiverBranch: null,
  chargesPerSecond: CHARGES_PER_SECOND,
};

function settingsOf(given: Readonly<Record<string, unknown>>, now: Date): ApiPixSettings {
  const settings = { ...NOT_GIVEN, ...given } as ApiPixSettings;
  const problems = problemsOf(settings, now);
  if (problems.length > 0) throw new SettingsInvalid(problems);
  return settings;
}

/** A profile for any PSP names none: its host does. */
function certificateOf(settings: ApiPixSettings): AcquirerCertificate {
  const { profile, certificate } = settings;
  const psp = profile === 'standard' ? new URL(urlsOf(settings).base).host : profileOf(profile).title;
  const { serialNumber: serial, validToDate: endsAt } = new X509Certificate(certificate);
  return { psp, serial, endsAt };
}

/** A charge that was made since the settings were set. */
const findUse = statement<{ id: string }>(
  'live_acquirer_was_used',
  `SELECT c.id FROM live_acquirer l JOIN pix_charge c ON c.account_id = l.account_id AND c.live_mode
   WHERE l.account_id = :accountId AND l.method = 'pix' AND c.copy_paste IS NOT NULL AND c.created >= floor(extract(epoch FROM l.changed_at)) - ${MINUTE} LIMIT 1`,
);

const oldestWaiting = statement<{ at: number | null }>(
  'oldest_waiting_live_qr',
  `SELECT min(c.created)::float8 AS at FROM pix_charge c WHERE c.account_id = :accountId AND c.live_mode AND c.state <> 'ended'`,
);

async function waitingSince(pool: Connection, accountId: string): Promise<Timestamp | null> {
  const [waiting] = await run(pool, oldestWaiting, { accountId });
  return waiting?.at ?? null;
}

/** Live PIX, by any PSP that offers the central bank's API Pix (docs/product/live-pix.md). */
export const livePix: LiveMethod<'pix', ApiPixSettings> = {
  settings: ApiPixSettings,
  options,
  settingsOf,
  show: showSettings,
  certificateOf,
  open: openApiPix,
  isSameClient,
  wasUsed: async (pool, accountId) => (await run(pool, findUse, { accountId })).length > 0,
  // A PIX is returned for 90 days, and a return takes its time.
  formerFor: 100 * DAY,
  registersCallbacks: true,
  probe: probePix,
  sweep: { waitingSince, perform: sweep },
  receive: receiveNotice,
};
