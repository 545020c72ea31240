import { slipsBetween } from './kernel/slips.ts';

/** Nobody but us gives variables such names. */
const OWN_PREFIXES = ['FATURA_', 'RATE_LIMIT_', 'WEBHOOK_'];
/** Other programs read variables with such names, Temporal's own tools above all: only a slip of the pen is refused. */
const SHARED_PREFIXES = ['TEMPORAL_', 'SMTP_', 'MAIL_', 'METRICS_', 'SECURITY_', 'OTEL_', 'VAULT_'];
/** What the client, its program and the shops of `fatura init` read: a merchant's own shell exports them. */
const OF_CLIENTS = ['FATURA_API_KEY', 'FATURA_BASE_URL', 'FATURA_WEBHOOK_SECRET', 'WEBHOOK_SECRET'];
const SLIPS_MAX = 2;
/** Of a short name every second slip makes another word. */
const SHORT_NAME = 10;

/** What is wrong with names that look like settings and are none. */
export function unknownSettings(names: readonly string[], known: readonly string[]): string[] {
  const startsWith = (prefixes: readonly string[], name: string) => prefixes.some((prefix) => name.startsWith(prefix));
  return names
    .filter((name) => !known.includes(name) && !OF_CLIENTS.includes(name))
    .toSorted()
    .flatMap((name) => {
      const meant = known.find((one) => slipsBetween(name, one) <= (one.length < SHORT_NAME ? 1 : SLIPS_MAX));
      const isSlip = meant !== undefined && startsWith(SHARED_PREFIXES, name);
      return isSlip || startsWith(OWN_PREFIXES, name)
        ? [`${name} is not a setting${suggestion(name, { meant, known })}`]
        : [];
    });
}

function suggestion(name: string, { meant, known }: { meant: string | undefined; known: readonly string[] }): string {
  if (meant !== undefined) return `; did you mean ${meant}?`;
  const relatives = known.filter((one) => one.split('_')[0] === name.split('_')[0]);
  return relatives.length > 0 ? `; there are ${relatives.join(', ')}` : '';
}
