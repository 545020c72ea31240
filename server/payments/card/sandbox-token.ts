import type { CardInput } from '../../../contract/payment-methods.ts';
import { readScope } from '../../accounts/scope.ts';
import type { Deps } from '../../deps.ts';
import { realTimeMs, SECOND_MS } from '../../kernel/time.ts';
import type { CardToken } from '../acquirer/port.ts';
import { BROWSER_TOKEN_SECONDS, makeBrowserToken } from '../acquirer/sandbox/browser-tokens.ts';
import { checkCardNumber } from './intake.ts';

/** What a browser gets in place of a card of the sandbox. */
export interface SandboxToken extends Pick<CardToken, 'brand' | 'last4' | 'expMonth' | 'expYear'> {
  readonly id: string;
  /** Real time, milliseconds. */
  readonly createdMs: number;
  readonly expiresMs: number;
}

const LAST_DIGITS = 4;

/** Takes a card in from a browser, as an acquirer would (docs/product/cards.md#a-form-of-your-own). */
export async function makeSandboxToken(deps: Deps, accountId: string, card: CardInput): Promise<SandboxToken> {
  const checked = checkCardNumber(card, deps.clock.now(await readScope(deps.pool, { accountId, liveMode: false })));
  const id = await makeBrowserToken(deps.pool, { accountId }, checked);
  const createdMs = realTimeMs();
  const { number, brand, expMonth, expYear } = checked;
  const expiresMs = createdMs + BROWSER_TOKEN_SECONDS * SECOND_MS;
  return { id, createdMs, expiresMs, brand, last4: number.slice(-LAST_DIGITS), expMonth, expYear };
}
