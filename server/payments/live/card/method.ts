import { type Connection, run, statement } from '../../../db/statement.ts';
import { CHARGES_PER_SECOND } from '../../../kernel/charge-rate.ts';
import { DAY, MINUTE } from '../../../kernel/time.ts';
import { isSameMerchant, PagarmeSettings, problemsOfKeys, showPagarme } from '../../acquirer/pagarme/settings.ts';
import type { LiveMethod } from '../method.ts';
import { SettingsInvalid } from '../rules.ts';
import { receiveHook } from './notices.ts';
import { openPagarme } from './open.ts';
import { cardOptions } from './options.ts';
import { probeCards } from './probe.ts';
import { sweepCards } from './sweep.ts';

const NOT_GIVEN = {
  softDescriptor: null,
  baseUrl: null,
  jwksUrl: null,
  takeCardNumbers: false,
  chargesPerSecond: CHARGES_PER_SECOND,
};

function settingsOf(given: Readonly<Record<string, unknown>>): PagarmeSettings {
  const settings = { profile: 'pagarme', ...NOT_GIVEN, ...given } as PagarmeSettings;
  const problems = problemsOfKeys(settings);
  if (problems.length > 0) throw new SettingsInvalid(problems);
  return settings;
}

/** A charge that was sent since the settings were set. */
const findUse = statement<{ id: string }>(
  'live_card_acquirer_was_used',
  `SELECT c.id FROM live_acquirer l JOIN charge_attempt c ON c.account_id = l.account_id AND c.live_mode
   WHERE l.account_id = :accountId AND l.method = 'card' AND c.deadline_at >= l.changed_at - interval '${MINUTE} seconds' LIMIT 1`,
);

const wasUsed = async (pool: Connection, accountId: string): Promise<boolean> =>
  (await run(pool, findUse, { accountId })).length > 0;

/** Live cards, by Pagar.me (docs/product/live-cards.md). */
export const liveCards: LiveMethod<'card', PagarmeSettings> = {
  settings: PagarmeSettings,
  options: cardOptions,
  settingsOf,
  show: showPagarme,
  certificateOf: () => null,
  open: openPagarme,
  isSameClient: isSameMerchant,
  wasUsed,
  // A holder may claim money back for long, and refunds are asked for as long.
  formerFor: 365 * DAY,
  registersCallbacks: false,
  probe: probeCards,
  // Every charge is sent by us and asked about until its end is known; what its holder takes back is not.
  sweep: { waitingSince: async () => null, perform: sweepCards },
  receive: receiveHook,
};
