import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sign } from '@fatura/sdk/webhooks';
import { keepSale, saleOf } from '../src/sales.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
process.env.WEBHOOK_SECRET = secret; // read when the shop is loaded
const { deliver } = await import('./deliver.ts');

const now = Math.floor(Date.now() / 1_000);

/** An event as the service sends it, and its headers. */
async function paid(invoice: string, event: string): Promise<{ body: string; headers: Record<string, string> }> {
  keepSale({ invoice, amount: 1, paymentIntent: '', copyPaste: '', qrCode: '', page: null, paidBy: null });
  const object = { object: 'invoice', id: invoice, customer_name: 'Maria da Silva', total: 12_000 };
  const fields = { object: 'event', type: 'invoice.paid', created: now, live_mode: false };
  const body = JSON.stringify({ id: event, ...fields, data: { object } });
  return { body, headers: { ...(await sign(body, { id: event, secrets: secret })) } };
}

test('a signed event marks its invoice as paid, also when it comes again', async () => {
  const { body, headers } = await paid('in_1', 'evt_1');
  assert.equal(await deliver(body, headers), 200);
  assert.equal(await deliver(body, headers), 200);
  assert.equal(saleOf('in_1')?.paidBy, 'evt_1');
});

test('a body that was changed on its way is refused', async () => {
  const { body, headers } = await paid('in_2', 'evt_2');
  assert.equal(await deliver(body.replace('12000', '1'), headers), 400);
  assert.equal(saleOf('in_2')?.paidBy, null);
});
