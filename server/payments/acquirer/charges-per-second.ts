import { z } from 'zod';
import { CHARGES_PER_SECOND, CHARGES_PER_SECOND_MAX } from '../../kernel/charge-rate.ts';

const FORM = `must be a whole number from 1 to ${CHARGES_PER_SECOND_MAX}`;

/** How often a second runs may ask the acquirer of an account. */
export const chargesPerSecond = z.int(FORM).min(1, FORM).max(CHARGES_PER_SECOND_MAX, FORM).default(CHARGES_PER_SECOND);
