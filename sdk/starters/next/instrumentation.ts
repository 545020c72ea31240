import { whatIsMissing } from './src/settings.ts';

/** Next.js calls it once, when the server starts: the shop does not open without its settings. */
export function register(): void {
  const missing = whatIsMissing();
  if (missing !== null) throw new Error(missing);
}
