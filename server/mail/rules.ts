import { DAY, HOUR, MINUTE } from '../kernel/time.ts';

/** What is told of a mail to an address that an operator has suppressed. */
export const SUPPRESSED_BECAUSE = 'an operator has suppressed the address';

/** What is told of a mail that is kept. */
export const KEPT_BECAUSE = "a sandbox mail is sent only to the account's own address";

/** As the lists compare e-mail addresses; mailboxes that differ by case alone are not met in practice. */
export const folded = (address: string): string => address.trim().toLowerCase();

/** Whether a mail may leave the service: whoever has a sandbox key writes what it says, so a sandbox's goes to its owner alone. */
export function maySend(mail: { liveMode: boolean; recipient: string; ownAddress: string }): boolean {
  return mail.liveMode || folded(mail.recipient) === folded(mail.ownAddress);
}

/** When a mail is tried, in seconds since the first try: ever more rarely, for three days. */
const TRIES = [0, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 8 * HOUR, DAY, 2 * DAY, 3 * DAY] as const;

/** The last failure of so many ends a mail. */
export const MAIL_TRIES_MAX = TRIES.length;

/** Seconds until the try that follows so many; null: it was the last. */
export function secondsToNextTry(tries: number): number | null {
  const [last, next] = [TRIES[tries - 1], TRIES[tries]];
  return last === undefined || next === undefined ? null : next - last;
}
