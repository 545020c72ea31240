import { createHash } from 'node:crypto';
import { run, statement } from '../../../db/statement.ts';
import { newSuffix } from '../../../kernel/ids.ts';
import type { CardIntake, CardNumber, CardToken } from '../card-port.ts';
import type { Merchant } from '../port.ts';
import type { Pool } from './books.ts';
import { scenarioOf } from './test-cards.ts';

/** As long as at Pagar.me. */
export const BROWSER_TOKEN_SECONDS = 60;

const LAST_DIGITS = 4;

/** A token is kept by nobody, the sandbox included. */
const hashOf = (browserToken: string): Buffer => createHash('sha256').update(browserToken).digest();

const insertCard = statement(
  'sandbox_insert_card',
  `INSERT INTO sandbox_bank.card (token, account_id, brand, last4, scenario, exp_month, exp_year, browser_token, browser_token_until)
   VALUES (:token, :accountId, :brand, :last4, :scenario, :expMonth, :expYear, :browserToken,
     CASE WHEN :browserToken::bytea IS NOT NULL THEN clock_timestamp() + make_interval(secs => ${BROWSER_TOKEN_SECONDS}) END)`,
);

type Owner = Pick<Merchant, 'accountId'>;

/** Of the number only the last digits and the scenario stay; the token has nothing to do with either. */
async function keep(
  pool: Pool,
  { accountId }: Owner,
  { card: { number, brand, expMonth, expYear }, browserToken }: { card: CardNumber; browserToken: Buffer | null },
): Promise<CardToken> {
  const token = newSuffix();
  const last4 = number.slice(-LAST_DIGITS);
  const scenario = scenarioOf(number);
  await run(pool, insertCard, { token, accountId, brand, last4, scenario, expMonth, expYear, browserToken });
  return { token, brand, last4, expMonth, expYear };
}

export const keepCardOfNumber = (pool: Pool, owner: Owner, card: CardNumber): Promise<CardToken> =>
  keep(pool, owner, { card, browserToken: null });

/** A token that a browser gets in place of a card: good once, and for a minute. */
export async function makeBrowserToken(pool: Pool, owner: Owner, card: CardNumber): Promise<string> {
  const browserToken = `token_${newSuffix()}`;
  await keep(pool, owner, { card, browserToken: hashOf(browserToken) });
  return browserToken;
}

const useBrowserToken = statement<CardToken>(
  'sandbox_use_browser_token',
  `UPDATE sandbox_bank.card SET browser_token = NULL, browser_token_until = NULL
   WHERE browser_token = :browserToken AND account_id = :accountId AND browser_token_until > clock_timestamp()
   RETURNING token, brand, last4, exp_month AS "expMonth", exp_year AS "expYear"`,
);

/** The card of a browser's token, once. */
export async function cardOfBrowserToken(pool: Pool, { accountId }: Owner, browserToken: string): Promise<CardIntake> {
  const [card] = await run(pool, useBrowserToken, { browserToken: hashOf(browserToken), accountId });
  return card === undefined ? { status: 'token_gone' } : { status: 'taken', ...card };
}
