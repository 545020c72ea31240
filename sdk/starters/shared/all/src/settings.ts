const NAMES = ['FATURA_API_KEY', 'FATURA_BASE_URL', 'WEBHOOK_SECRET'] as const;

/** A value of .env. */
export const setting = (name: (typeof NAMES)[number]): string => process.env[name] ?? '';

/** The shop does not open without its settings. */
export function requireSettings(): void {
  const missing = NAMES.filter((name) => setting(name) === '');
  if (missing.length > 0) throw new Error(`set ${missing.join(' and ')} in .env: README.md says where from`);
}
