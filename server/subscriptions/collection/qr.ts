import { run, statement } from '../../db/statement.ts';
import type { Scope } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { BillingError } from '../../kernel/errors.ts';
import { checkoutByPix } from '../../payments/pix/checkout.ts';
import { handleNotice } from '../../payments/pix/settlement.ts';

type Standing = { txid: string; state: 'creating' | 'active' };

const findStanding = statement<Standing>(
  'find_standing_qr',
  `SELECT c.id AS txid, c.state FROM pix_charge c WHERE c.invoice_id = :invoiceId AND c.state IN ('creating', 'active')`,
);

const standingQr = async ({ pool }: Deps, invoiceId: string): Promise<Standing | undefined> =>
  (await run(pool, findStanding, { invoiceId }))[0];

/** A payment whose notice was lost is found before anything is held against the buyer; a bank that is silent is not waited for. */
export async function askAboutQr(deps: Deps, scope: Scope, invoiceId: string): Promise<void> {
  const qr = await standingQr(deps, invoiceId);
  if (qr?.state === 'active') await handleNotice(deps, scope, { txid: qr.txid });
}

/** Has the bank make the QR code of a bill; false: it is away, and the payment link asks for it too. */
export async function askForQr(deps: Deps, scope: Scope, invoiceId: string): Promise<boolean> {
  try {
    await checkoutByPix(deps, scope, { invoiceId, show: async (_, invoice) => invoice });
    return true;
  } catch (error) {
    if (error instanceof BillingError) return false;
    throw error;
  }
}

/** The bill came when its bank was away: its QR code is asked for again, and the buyer is written to all the same. */
export async function finishQr(deps: Deps, scope: Scope, invoiceId: string): Promise<void> {
  if ((await standingQr(deps, invoiceId))?.state === 'creating') await askForQr(deps, scope, invoiceId);
}
