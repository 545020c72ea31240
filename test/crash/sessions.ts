import type { CheckoutSession, CheckoutSessionCreate, CreatedCheckoutSession } from '@fatura/sdk';
import { performExpiry } from '../../server/checkout/expire.ts';
import { run } from '../../server/db/statement.ts';
import { CVC } from '../support/cards.ts';
import { CPF, newCustomer, newPrice } from '../support/factories.ts';
import { ownStatement } from '../support/statements.ts';
import { newMonthly } from '../support/subscriptions.ts';
import type { Scene } from './cell.ts';
import type { ServedMerchant } from './stage.ts';

export type Mode = CheckoutSession['mode'];

/** Who buys: a customer of before, or one who comes with the purchase. */
export const buyers = ['a customer', 'somebody new'] as const;
export type Buyer = (typeof buyers)[number];

export const somebody = { name: 'Ana Souza', identifier: CPF, email: 'ana@loja.test' };
/** What a buyer fills in on the page. */
export const filledIn = { ...somebody, phone: '(11) 98765-4321' };

interface Sold {
  readonly mode: Mode;
  readonly amount: number;
  /** Null: the buyer fills in the page. */
  readonly buyer: Buyer | null;
  /** Whether a discount takes everything off. */
  readonly isFree?: boolean;
}

/** What creates a session, of a price and maybe a customer that are there already. */
export async function sessionBody(
  merchant: ServedMerchant,
  { mode, amount, buyer, isFree = false }: Sold,
): Promise<CheckoutSessionCreate> {
  const { id } = await (mode === 'payment' ? newPrice : newMonthly)(merchant, { unit_amount: amount });
  const body = {
    mode,
    success_url: 'https://loja.test/obrigado',
    return_url: 'https://loja.test/carrinho',
    line_items: [{ price_id: id, quantity: 1 }],
    ...(isFree ? { discounts: [{ type: 'percentage' as const, percentage: 100 }] } : {}),
  };
  if (buyer === null) return body;
  return buyer === 'somebody new'
    ? { ...body, customer: somebody }
    : { ...body, customer_id: (await newCustomer(merchant)).id };
}

export async function openSession({ merchant }: Scene, sold: Sold): Promise<CreatedCheckoutSession> {
  return merchant.fatura.checkoutSessions.create(await sessionBody(merchant, sold));
}

/** Makes the QR code of a session; answers its intent. */
export async function makeQr({ merchant }: Scene, { invoice }: CheckoutSession): Promise<string> {
  const { payment_intent: intent } = await merchant.fatura.invoices.checkout(invoice ?? '', {
    payment_method_type: 'pix',
  });
  return intent ?? '';
}

interface PageAnswer {
  readonly purchase: { readonly standing: string; readonly qr: object | null } | null;
  readonly problem: { readonly code: string; readonly declineReason: string | null } | null;
}

const toldBy = ({ purchase, problem }: PageAnswer): string => {
  if (problem !== null) return [problem.code, problem.declineReason].filter((part) => part !== null).join(' ');
  return purchase?.qr == null ? String(purchase?.standing) : 'qr';
};

/** What the script of a session's page asks one process for; answers how the purchase stands then, or the code of the refusal. */
export function askPage(
  { baseUrl }: ServedMerchant,
  { url }: CreatedCheckoutSession,
  { action, body = {}, key }: { action: string; body?: object; key?: string },
): Promise<{ status: string }> {
  const headers = {
    'Content-Type': 'application/json',
    'Sec-Fetch-Site': 'same-origin',
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
  };
  return answered(
    fetch(`${baseUrl}${new URL(url).pathname}/${action}`, { method: 'POST', headers, body: JSON.stringify(body) }),
    async (response) => toldBy((await response.json()) as PageAnswer), // what our own page reads
  );
}

/** The same of a browser without a script, which sends the form of the buyer by itself; answers the status. */
export const sendForm = (
  { baseUrl }: ServedMerchant,
  { url }: CreatedCheckoutSession,
  fields: Record<string, string>,
): Promise<{ status: string }> =>
  answered(
    fetch(baseUrl + new URL(url).pathname, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    }),
    async ({ status }) => String(status),
  );

async function answered(
  answer: Promise<Response>,
  tell: (response: Response) => Promise<string>,
): Promise<{ status: string }> {
  // A process that dies breaks the connection, at whatever point of its answer.
  const told = answer.then(tell).catch(() => 'CONNECTION_FAILED');
  return { status: await told };
}

/** What the page sends of a card. */
export const pageCard = (number: string): object => ({
  installments: 1,
  card: { number, exp_month: 12, exp_year: 2040, cvc: CVC },
  billing_details: { name: 'MARIA DA SILVA', document: CPF, address: null },
});

const HOUR = 3_600;
/** When the bank is asked about a QR code that stood at the deadline, and a moment. */
const DECIDED_AFTER = 30 + 5;

/** The clock of the account, and by it the instants at which what waits is looked at. */
const moveClock = ownStatement(
  'test_move_clock',
  `WITH moved AS (UPDATE account SET sandbox_offset_seconds = sandbox_offset_seconds + $2 WHERE id = $1 RETURNING sandbox_offset_seconds AS ahead),
     sessions AS (UPDATE checkout_session SET wake_at = due_at - ahead FROM moved WHERE account_id = $1 AND due_at IS NOT NULL),
     subscriptions AS (UPDATE subscription SET wake_at = due_at - ahead FROM moved WHERE account_id = $1 AND due_at IS NOT NULL)
   UPDATE invoice SET wake_at = step_at - ahead FROM moved WHERE account_id = $1 AND step_at IS NOT NULL`,
);

/** Lets the deadline of the account's sessions pass, and the time in which a bank may still tell. */
export async function passDeadline({ stage, shop }: Scene): Promise<void> {
  await run(stage.composition.deps.pool, moveClock, [shop.accountId, HOUR + DECIDED_AFTER]);
}

/** What the run does with a session, however often it comes. */
export const decide = ({ stage }: Scene, { id }: { id: string }) => performExpiry(stage.composition.deps, id);

const countRows = ownStatement(
  'test_count_sold',
  `SELECT (SELECT count(*)::int FROM checkout_session WHERE account_id = $1) AS sessions,
     (SELECT count(*)::int FROM checkout_session WHERE account_id = $1 AND invoice_id IS NOT NULL) AS filled,
     (SELECT count(*)::int FROM invoice WHERE account_id = $1) AS invoices,
     (SELECT count(*)::int FROM customer WHERE account_id = $1) AS customers,
     (SELECT count(*)::int FROM subscription WHERE account_id = $1) AS subscriptions`,
);

export interface SoldRows extends Record<string, unknown> {
  readonly sessions: number;
  /** Sessions that have what they sell. */
  readonly filled: number;
  readonly invoices: number;
  readonly customers: number;
  readonly subscriptions: number;
}

/** How many of each the account has. */
export async function rowsOf({ stage, shop }: Scene): Promise<SoldRows> {
  const [rows] = await run<SoldRows>(stage.composition.deps.pool, countRows, [shop.accountId]);
  if (rows === undefined) throw new Error('a count has one row');
  return rows;
}
