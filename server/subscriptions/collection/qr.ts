import { run } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Scope } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { BillingError } from '../../kernel/errors.ts';
import { checkoutByPix } from '../../payments/pix.ts';
import { handleNotice } from '../../payments/settlement.ts';

const findStanding = statement(
  'find_standing_qr',
  `SELECT c.id AS txid, c.state FROM pix_charge c WHERE c.invoice_id = $1 AND c.state IN ('creating', 'active')`,
);

type Standing = { txid: string; state: 'creating' | 'active' };

const standingQr = async ({ pool }: Deps, invoiceId: string): Promise<Standing | undefined> =>
  (await run<Standing>(pool, findStanding, [invoiceId]))[0];

/** A payment whose notice was lost is found before anything is held against the buyer; a bank that is silent is not waited for. */
export async function askAboutQr(deps: Deps, scope: Scope, invoiceId: string): Promise<void> {
  const qr = await standingQr(deps, invoiceId);
  if (qr?.state === 'active') await handleNotice(deps, scope, qr.txid);
}

/** The bill came when its bank was away: its QR code is asked for again. */
export async function finishQr(deps: Deps, scope: Scope, invoiceId: string): Promise<void> {
  const qr = await standingQr(deps, invoiceId);
  if (qr?.state !== 'creating') return;
  try {
    await checkoutByPix(deps, scope, { invoiceId, show: async (_, invoice) => invoice });
  } catch (error) {
    // The buyer is written to all the same: the payment link asks for it too.
    if (!(error instanceof BillingError)) throw error;
  }
}
