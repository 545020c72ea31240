import { describe, expect, test } from 'vitest';
import { profileNames } from '../../../dev/fake-psp/psp.ts';
import { newInvoice } from '../../support/factories.ts';
import { type LiveShop, liveScene } from './live-shop.ts';

const scene = liveScene();

const open = scene.openShop;

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** What the bank has of a merchant, by what our books must have. */
const booksOf = ({ psp, credentials }: LiveShop) => psp.books(credentials);

describe.each(profileNames)('a live sale at a PSP of the profile %s', (profile) => {
  test('is paid as its callback comes, returned in parts, and stands alike in both books', async () => {
    const shop = await open({ profile });
    const { invoice, intent, txid, copyPaste } = await shop.sell(4_000);
    expect(copyPaste).toMatch(/^000201.*6304[0-9A-F]{4}$/);
    const endToEndId = shop.pay(txid);
    await shop.rest();
    expect(await shop.fatura.invoices.retrieve(invoice)).toMatchObject({ status: 'paid', live_mode: true });
    const asked = await shop.fatura.refunds.create({ payment_intent: intent, amount: 1_500 });
    expect(asked).toMatchObject({ status: 'refunding', amount: 1_500 });
    await shop.rest();
    expect(await shop.fatura.refunds.retrieve(intent)).toMatchObject({ status: 'refunded', amount: 1_500 });
    expect(await shop.fatura.invoices.retrieve(invoice)).toMatchObject({ amount_refunded: 1_500 });
    const books = booksOf(shop);
    expect(books.cobs).toMatchObject([{ txid, status: 'CONCLUIDA' }]);
    expect(books.payments).toMatchObject([{ endToEndId, amount: 4_000 }]);
    expect(books.returns).toMatchObject([{ endToEndId, amount: 1_500, status: 'DEVOLVIDO' }]);
  });
});

describe('a live sale', () => {
  test('keeps its QR code however often it is asked for, and has it removed when the invoice is voided', async () => {
    const shop = await open();
    const { invoice, txid, copyPaste } = await shop.sell();
    expect(await shop.checkout(invoice)).toMatchObject({ txid, copyPaste });
    expect(await shop.fatura.invoices.void(invoice)).toMatchObject({ status: 'void' });
    expect(booksOf(shop).cobs).toMatchObject([{ txid, status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' }]);
  });

  test('that is paid after its invoice was voided is returned by itself', async () => {
    const shop = await open();
    const { invoice, txid } = await shop.sell();
    await shop.fatura.invoices.void(invoice);
    shop.pay(txid, { late: true });
    await shop.rest();
    expect(await shop.fatura.invoices.retrieve(invoice)).toMatchObject({ status: 'void', amount_refunded: 0 });
    expect(booksOf(shop).returns).toMatchObject([{ amount: 4_000, status: 'DEVOLVIDO' }]);
  });

  test('of one account is nothing that another account or its PSP can touch', async () => {
    const [one, other] = [await open(), await open({ profile: 'efi' })];
    const { invoice, txid } = await one.sell();
    await post(`${other.noticeUrl}/pix`, { pix: [{ endToEndId: 'E1', txid, valor: '40.00' }] });
    await other.rest();
    expect(one.psp.requests(one.credentials)).toMatchObject({ getCob: 0 });
    one.pay(txid, { notify: false });
    await post(one.noticeUrl, [{ txid }]);
    await one.rest();
    expect(await one.fatura.invoices.retrieve(invoice)).toMatchObject({ status: 'paid' });
  });

  test('without an acquirer is refused with what is missing; a card still has none', async () => {
    const account = await scene.api().newMerchant();
    const { id } = await newInvoice({ ...account, fatura: account.live });
    await expect(account.live.invoices.checkout(id, { payment_method_type: 'pix' })).rejects.toMatchObject({
      code: 'ACQUIRER_UNAVAILABLE',
      message:
        'No acquirer for PIX is configured for live mode: nothing happened, and a repeat is refused until one is',
    });
  });
});

describe('a callback', () => {
  test('that is forged, repeated or of nothing here changes nothing', async () => {
    const shop = await open();
    const { invoice, txid } = await shop.sell();
    const forged = {
      pix: [{ endToEndId: 'E00000000202611221200abcdefghijk', txid, valor: '40.00', horario: '2026-11-22T12:00:00Z' }],
    };
    for (const body of [
      forged,
      forged,
      [forged.pix[0]],
      { pix: [{ txid: 'x'.repeat(26) }] },
      {},
      { evento: 'teste_webhook' },
    ])
      expect((await post(shop.noticeUrl, body)).status).toBe(200);
    await shop.rest();
    expect(await shop.fatura.invoices.retrieve(invoice)).toMatchObject({ status: 'open' });
  });

  test('is refused where it cannot be read, and where its path is not known', async () => {
    const shop = await open();
    for (const body of ['<html>', '{"pix":', '"text"', '7', `{"pix":${'['.repeat(200)}${']'.repeat(200)}}`])
      expect([body, (await post(shop.noticeUrl, body)).status]).toEqual([body, 400]);
    const strange = shop.noticeUrl.replace(/[\w-]{32}$/, 'A'.repeat(32));
    expect((await post(strange, {})).status).toBe(404);
    expect((await post(`${shop.noticeUrl}/outra`, {})).status).toBe(404);
    expect((await post(shop.noticeUrl, 'x'.repeat(300_000))).status).toBe(413);
  });
});
