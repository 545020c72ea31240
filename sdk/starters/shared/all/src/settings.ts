const NAMES = ['FATURA_API_KEY', 'FATURA_BASE_URL', 'WEBHOOK_SECRET'] as const;

/** A value of .env. */
export const setting = (name: (typeof NAMES)[number]): string => process.env[name] ?? '';

/** What the shop cannot do without, in a sentence; null: it has everything. */
export function whatIsMissing(): string | null {
  const missing = NAMES.filter((name) => setting(name) === '');
  return missing.length > 0 ? `Set ${missing.join(' and ')} in .env: README.md says where from.` : null;
}
