import { CHARGES_PER_SECOND } from '../../kernel/charge-rate.ts';
import type { SettingOption } from './method.ts';

/** What acquirers of every method have (docs/design/outbox-and-cases.md#what-a-run-asks-of-an-acquirer). */
export const rateOption = {
  name: 'chargesPerSecond',
  flags: '--charges-per-second <number>',
  description: `how often a second runs may ask the acquirer, ${CHARGES_PER_SECOND} unless given; a buyer is never made to wait by it`,
  isNumber: true,
  staysUnlessGiven: true,
} as const satisfies SettingOption;
