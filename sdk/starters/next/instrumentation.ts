import { requireSettings } from './src/settings.ts';

/** Next.js calls it once, when the server starts. */
export function register(): void {
  requireSettings();
}
