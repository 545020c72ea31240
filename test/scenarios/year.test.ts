import { expect, test } from 'vitest';
import { Stories, told } from '../support/story.ts';

const stories = new Stories();

const MONTHS_OF_2027 = Array.from({ length: 12 }, (_, month) => `2027-${String(month + 1).padStart(2, '0')}-15`);

const started = (day: string) => [
  ...told.subscribed(day),
  ...told.chargeSent(day),
  ...told.paidByCard(day),
  ...told.activated(day),
];

test('a year of monthly billing by card', async () => {
  const story = await stories.startOn('2026-12-15');
  const { id } = await story.subscribeByCard();
  expect(await story.news()).toEqual(started('2026-12-15'));
  await story.to('2027-12-31');
  expect(await story.news()).toEqual(MONTHS_OF_2027.flatMap(told.renewed));
  const invoices = await story.fatura.invoices.list({ subscription_id: id }).all({ max: 100 });
  expect(invoices.map(({ status, total }) => [status, total])).toEqual(Array(13).fill(['paid', 9_990]));
});

test('a year of monthly billing by PIX, each bill paid the day after it came', async () => {
  const story = await stories.startOn('2026-12-15');
  const { id } = await story.subscribeByPix();
  expect(await story.news()).toEqual([
    ...told.subscribed('2026-12-15'),
    '2026-12-15 payment_intent.created',
    ...told.paid('2026-12-15'),
    ...told.activated('2026-12-15'),
  ]);
  const year: string[] = [];
  for (const period of MONTHS_OF_2027) {
    const [billedOn, paidOn] = [period.replace('15', '12'), period.replace('15', '13')];
    await story.to(paidOn);
    const { latest_invoice } = await story.fatura.subscriptions.retrieve(id);
    await story.payPix(latest_invoice ?? '');
    await story.to(period);
    year.push(...told.billed(billedOn), ...told.paid(paidOn), ...told.periodStarted(period));
  }
  expect(await story.news()).toEqual(year);
  const bills = await story.mails();
  const asked = bills.filter(({ step }) => step !== null);
  expect(asked.map(({ step, status }) => [step, status])).toEqual(Array(12).fill([-3, 'queued']));
});

test('31 January is billed on the last day of shorter months, and on the 31st again', async () => {
  const story = await stories.startOn('2027-01-31');
  await story.subscribeByCard();
  await story.news();
  await story.to('2028-04-01');
  const periods = [
    ...['2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31', '2027-06-30', '2027-07-31', '2027-08-31', '2027-09-30'],
    ...['2027-10-31', '2027-11-30', '2027-12-31', '2028-01-31', '2028-02-29', '2028-03-31'],
  ];
  expect(await story.news()).toEqual(periods.flatMap(told.renewed));
});

test('29 February of a leap year comes back on the 28th, and on the 29th after four years', async () => {
  const story = await stories.startOn('2028-02-29');
  const price = { recurring: { interval: 'month', interval_count: 12 } } as const;
  await story.subscribeByCard(undefined, { price });
  await story.news();
  for (const until of ['2030-01-01', '2031-12-01', '2032-12-01']) await story.to(until);
  const years = ['2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29'];
  expect(await story.news()).toEqual(years.flatMap(told.renewed));
});

test('a cycle keeps its time of day over the last change of daylight-saving time', async () => {
  const story = await stories.startOn('2018-10-20 00:30');
  await story.subscribeByCard();
  await story.news();
  await story.to('2019-03-01');
  // The clocks went forward on 4 November 2018 and back on 17 February 2019.
  const nights = ['2018-11-20 00:30', '2018-12-20 00:30', '2019-01-20 00:30', '2019-02-20 00:30'];
  expect(await story.news()).toEqual(nights.flatMap(told.renewed));
});

test('daily and weekly prices', async () => {
  const story = await stories.startOn('2027-02-26');
  await story.subscribeByCard(undefined, { price: { recurring: { interval: 'day' } } });
  await story.subscribeByCard(undefined, { price: { recurring: { interval: 'week', interval_count: 2 } } });
  await story.news();
  await story.to('2027-03-13');
  const days = ['27', '28'].map((day) => `2027-02-${day}`);
  const ofMarch = Array.from({ length: 13 }, (_, day) => `2027-03-${String(day + 1).padStart(2, '0')}`);
  const all = [...days, ...ofMarch].flatMap((day) =>
    day === '2027-03-12' ? [...told.renewed(day), ...told.renewed(day)] : told.renewed(day),
  );
  expect(await story.news()).toEqual(all);
});

test('a daily price by PIX is billed as the day before begins', async () => {
  const story = await stories.startOn('2027-03-01');
  const { id } = await story.subscribeByPix({ price: { recurring: { interval: 'day' } } });
  await story.news();
  for (const day of ['2027-03-01 12:00', '2027-03-02 12:00']) {
    await story.to(day);
    await story.payPix((await story.fatura.subscriptions.retrieve(id)).latest_invoice ?? '');
  }
  await story.to('2027-03-03 11:00');
  expect(await story.news()).toEqual([
    ...told.billed('2027-03-01'),
    ...told.paid('2027-03-01 12:00'),
    ...told.periodStarted('2027-03-02'),
    ...told.billed('2027-03-02'),
    ...told.paid('2027-03-02 12:00'),
    ...told.periodStarted('2027-03-03'),
    ...told.billed('2027-03-03'),
  ]);
});

test('a discount of three cycles is taken off the first three bills', async () => {
  const story = await stories.startOn('2027-01-10');
  const discounts = [
    { type: 'percentage', percentage: 50, cycles: 3 },
    { type: 'fixed', amount: 1_000 },
  ] as const;
  const { id } = await story.subscribeByCard(undefined, { discounts: [...discounts] });
  await story.news();
  await story.to('2027-05-20');
  expect(await story.news()).toEqual(['2027-02-10', '2027-03-10', '2027-04-10', '2027-05-10'].flatMap(told.renewed));
  const invoices = await story.fatura.invoices.list({ subscription_id: id }).all({ max: 10 });
  expect(invoices.map(({ total }) => total)).toEqual([8_990, 8_990, 3_995, 3_995, 3_995]);
});

test('another quantity holds from the next cycle', async () => {
  const story = await stories.startOn('2027-01-10');
  const { id } = await story.subscribeByCard();
  await story.news();
  await story.to('2027-01-20');
  await story.fatura.subscriptions.update(id, { quantity: 3 });
  await story.to('2027-03-01');
  await story.fatura.subscriptions.update(id, { quantity: 2 });
  await story.to('2027-03-20');
  expect(await story.news()).toEqual([
    '2027-01-20 subscription.updated',
    ...told.renewed('2027-02-10'),
    '2027-03-01 subscription.updated',
    ...told.renewed('2027-03-10'),
  ]);
  const invoices = await story.fatura.invoices.list({ subscription_id: id }).all({ max: 10 });
  expect(invoices.map(({ total }) => total)).toEqual([19_980, 29_970, 9_990]);
});
