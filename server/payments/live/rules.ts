import { canonical } from '../../kernel/canonical.ts';
import { snakeCase } from '../../kernel/text.ts';
import { DAY, type Timestamp } from '../../kernel/time.ts';

/** Days before the end of a certificate on which its account is written to (docs/product/live-pix.md#renewing-a-certificate). */
export const CERTIFICATE_WARNINGS = [30, 7, 1] as const;

export type CertificateWarning = (typeof CERTIFICATE_WARNINGS)[number];

const [FIRST, ...LATER] = CERTIFICATE_WARNINGS;

/** When the next letter about a certificate is due, of `live_acquirer l`; null: there is none left. */
export const WARNING_DUE_AT = `extract(epoch FROM l.certificate_ends_at)::bigint - ${DAY} * CASE WHEN l.certificate_warned IS NULL THEN ${FIRST}
  ${LATER.map((days) => `WHEN l.certificate_warned > ${days} THEN ${days}`).join(' ')} END`;

/**
 * What an account is told now of a certificate; null: nothing. A letter that was late is not made up for: the newest says it
 * all. Of a certificate that has ended the operator is told, for letters came to nothing.
 */
export function warningDue(
  { endsAt, warned }: { endsAt: Timestamp; warned: number | null },
  now: Timestamp,
): CertificateWarning | null {
  if (now >= endsAt) return null;
  const reached = CERTIFICATE_WARNINGS.filter((days) => now >= endsAt - days * DAY).at(-1) ?? null;
  return reached !== null && (warned === null || reached < warned) ? reached : null;
}

/** What is another in settings that replace others, by name: a secret shows its change nowhere else. */
export function changedSettings(before: object, after: object): string[] {
  const others: Readonly<Record<string, unknown>> = { ...before };
  const own: Readonly<Record<string, unknown>> = { ...after };
  return Object.keys({ ...others, ...own })
    .filter((name) => canonical(others[name]) !== canonical(own[name]))
    .map(snakeCase);
}

/** What is wrong with a setting: words that follow its name. */
interface SettingProblem {
  /** The setting, by its name. */
  readonly name: string;
  readonly message: string;
}

/** Settings with which no acquirer could be called. */
export class SettingsInvalid extends Error {
  override readonly name = 'SettingsInvalid';
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    super(problems.map(({ name, message }) => `${name} ${message}`).join('\n'));
    this.problems = problems;
  }
}
