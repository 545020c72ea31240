import { afterAll, beforeAll, expect, test } from 'vitest';
import { forgetMails, TEXT_DAYS } from '../../../server/mail/retention.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newInvoice } from '../../support/factories.ts';
import { mailsOf, remindOf } from '../../support/mails.ts';

const DAY_MS = 86_400_000;

let api: TestApi;
let shop: Merchant;
beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
});
afterAll(() => api.stop());

const forgetAfter = (days: number): Promise<number> =>
  forgetMails(api.composition.deps.pool, () => {}, Date.now() + days * DAY_MS);

test('what a letter said, and to whom, is erased after 30 days; that it was written stays', async () => {
  const { id } = await newInvoice(shop);
  await remindOf(api, shop, { id, step: 0 });
  await remindOf(api, shop, { id, step: 7 });
  await api.composition.deps.pool.query(
    `UPDATE mail SET status = 'sent', sent_at = now(), attempts = 1, last_error = 'x' WHERE invoice_id = $1 AND step = 0`,
    [id],
  );
  const before = await mailsOf(api, id);
  expect(await forgetAfter(TEXT_DAYS - 1)).toBe(0);
  expect((await mailsOf(api, id)).map(({ body_text }) => body_text)).toEqual(before.map(({ body_text }) => body_text));

  expect(await forgetAfter(TEXT_DAYS + 1)).toBe(2);
  const nothing = {
    recipient: null,
    recipient_name: null,
    subject: null,
    body_text: null,
    body_html: null,
    last_error: null,
  };
  expect(await mailsOf(api, id)).toMatchObject([
    { step: 0, occasion: 'reminder', status: 'sent', attempts: 1, sent_at: expect.any(Date), ...nothing },
    // Nobody sent it for a month: it would come too late.
    { step: 7, occasion: 'reminder', status: 'dropped', attempts: 0, sent_at: null, ...nothing },
  ]);
  expect(await forgetAfter(TEXT_DAYS + 1)).toBe(0);
});
