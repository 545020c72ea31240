import { expect, test } from 'vitest';
import { type Civil, Stories, type Story, told } from '../support/story.ts';

const stories = new Stories();

const at = (civil: Civil, ...types: string[]): string[] => types.map((type) => `${civil} ${type}`);
const byMandate = { payment_method_type: 'pix_automatico' } as const;

/** A renewal that is billed five days ahead, and debited on its day. */
const debited = (billed: string, day: string): string[] => [
  ...scheduled(billed),
  ...told.paid(`${day} 06:00`),
  ...told.periodStarted(day),
];

const scheduled = (billed: string): string[] => [
  ...told.billed(`${billed} 09:00`),
  ...at(`${billed} 09:00`, 'payment_intent.scheduled'),
];

const failed = (day: string): string[] => told.declined(`${day} 21:00`);

/** What was written to buyers since it was last asked: `2027-02-05 09:00 debit_scheduled`. */
async function letters(story: Story, since: { told: number }): Promise<string[]> {
  const rows = await story.rows<{ occasion: string; step: number | null; created: string }>(
    `SELECT occasion, step, to_char(to_timestamp(created) AT TIME ZONE 'America/Sao_Paulo', 'YYYY-MM-DD HH24:MI') AS created
     FROM mail WHERE account_id = $1 ORDER BY mail.created, id`,
  );
  const news = rows.slice(since.told);
  since.told = rows.length;
  return news.map(({ occasion, step, created }) => `${created} ${occasion}${step === null ? '' : ` ${step}`}`);
}

/** What a debit of a month is told by: that it comes, and that it was made. */
const debitedLetters = (month: string): string[] => [`${month}-05 09:00 debit_scheduled`, `${month}-10 06:00 paid`];

/** The newest bill of a subscription, by the id of its charge. */
async function newestCharge({ fatura }: Story, id: string): Promise<{ invoice: string; intent: string }> {
  const { latest_invoice: invoice } = await fatura.subscriptions.retrieve(id);
  const { payment_intent: intent } = await fatura.invoices.retrieve(invoice ?? '');
  return { invoice: invoice ?? '', intent: intent ?? '' };
}

async function authorise(story: Story, id: string): Promise<string> {
  const { invoice } = await newestCharge(story, id);
  await story.fatura.invoices.checkout(invoice, byMandate);
  await story.payPix(invoice);
  return (await story.fatura.subscriptions.retrieve(id)).mandate ?? '';
}

test('a year of Pix Automático', async () => {
  const story = await stories.startOn('2027-01-10');
  const { fatura } = story;
  const written = { told: 0 };
  const { id } = await story.subscribe();
  const first = await authorise(story, id);
  expect(await story.news()).toEqual([
    ...told.subscribed('2027-01-10'),
    ...at('2027-01-10', 'payment_intent.created', 'mandate.created', 'mandate.activated', 'subscription.updated'),
    ...told.paid('2027-01-10'),
    ...told.activated('2027-01-10'),
  ]);

  // Three renewals are debited, and the bank tells of each five days ahead.
  await story.to('2027-04-10');
  expect(await story.news()).toEqual(
    ['02', '03', '04'].flatMap((month) => debited(`2027-${month}-05`, `2027-${month}-10`)),
  );
  expect(await letters(story, written)).toEqual([
    '2027-01-10 10:00 subscription_begun',
    ...['2027-02', '2027-03', '2027-04'].flatMap(debitedLetters),
  ]);

  // The buyer has too little money on every day of May that is tried, and pays by the QR code that comes then.
  await story.to('2027-05-06');
  const { intent: debit, invoice } = await newestCharge(story, id);
  for (const [tried, until] of [
    ['10', '10'],
    ['11', '11'],
    ['13', '13'],
    ['17', '18'],
  ] as const) {
    await fatura.testHelpers.paymentIntents.debit(debit, { outcome: 'insufficient' });
    await story.to(`2027-05-${until} ${tried === until ? '22:00' : '10:00'}`);
  }
  await story.payPix(invoice);
  expect(await story.news()).toEqual([
    ...scheduled('2027-05-05'),
    ...told.periodStarted('2027-05-10'),
    ...failed('2027-05-10'),
    ...at('2027-05-10 21:00', 'payment_intent.scheduled'),
    ...told.overdue('2027-05-11'),
    ...failed('2027-05-11'),
    ...at('2027-05-12 12:00', 'payment_intent.scheduled'),
    ...failed('2027-05-13'),
    ...at('2027-05-16 12:00', 'payment_intent.scheduled'),
    ...failed('2027-05-17'),
    ...at('2027-05-17 21:00', 'payment_intent.discarded', 'payment_intent.created'),
    ...told.paid('2027-05-18'),
  ]);
  expect(await letters(story, written)).toEqual([
    '2027-05-05 09:00 debit_scheduled',
    ...['10', '11', '13', '17'].map((day) => `2027-05-${day} 21:00 debit_failed`),
    '2027-05-18 10:00 paid',
  ]);
  expect(await fatura.subscriptions.retrieve(id)).toMatchObject({
    payment_method_type: 'pix_automatico',
    mandate: first,
  });

  // The next ones are debited again, until the buyer ends the mandate at the bank.
  await story.to('2027-07-20');
  await fatura.testHelpers.mandates.cancel(first, { by: 'payer' });
  expect(await story.news()).toEqual([
    ...debited('2027-06-05', '2027-06-10'),
    ...debited('2027-07-05', '2027-07-10'),
    ...at('2027-07-20', 'mandate.ended', 'subscription.updated'),
  ]);
  expect(await letters(story, written)).toEqual([
    ...['2027-06', '2027-07'].flatMap(debitedLetters),
    '2027-07-20 10:00 mandate_ended',
  ]);

  // The bill of August comes by QR code, three days ahead; paying it brings another mandate.
  await story.to('2027-08-08');
  const second = await authorise(story, id);
  expect(second).not.toBe(first);
  await story.to('2028-01-10');
  expect(await story.news()).toEqual([
    ...told.billed('2027-08-07'),
    ...at('2027-08-08', 'mandate.created', 'mandate.activated', 'subscription.updated'),
    ...told.paid('2027-08-08'),
    ...told.periodStarted('2027-08-10'),
    ...['2027-09', '2027-10', '2027-11', '2027-12', '2028-01'].flatMap((month) =>
      debited(`${month}-05`, `${month}-10`),
    ),
  ]);
  expect(await letters(story, written)).toEqual([
    '2027-08-07 10:00 reminder -3',
    '2027-08-08 10:00 paid',
    ...['2027-09', '2027-10', '2027-11', '2027-12', '2028-01'].flatMap(debitedLetters),
  ]);
  const invoices = await fatura.invoices.list({ subscription_id: id }).all({ max: 100 });
  expect(invoices.map(({ status, amount_paid: paid }) => [status, paid])).toEqual(Array(13).fill(['paid', 9_990]));
  expect(
    await story.rows(
      `SELECT count(*)::int AS receipts, sum(amount)::int AS received FROM pix_receipt WHERE account_id = $1`,
    ),
  ).toEqual([{ receipts: 13, received: 13 * 9_990 }]);
}, 120_000);
