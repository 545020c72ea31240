import { expect, test } from 'vitest';
import { Stories, told } from '../support/story.ts';

const stories = new Stories();

const MONTHS_OF_2027 = Array.from({ length: 12 }, (_, month) => `2027-${String(month + 1).padStart(2, '0')}-15`);

test('a year of monthly billing by card', async () => {
  const story = await stories.startOn('2026-12-15');
  const { id } = await story.subscribeByCard();
  expect(await story.news()).toEqual([
    ...told.subscribed('2026-12-15'),
    ...told.chargeSent('2026-12-15'),
    ...told.paid('2026-12-15'),
    ...told.activated('2026-12-15'),
  ]);
  await story.to('2027-12-31');
  expect(await story.news()).toEqual(MONTHS_OF_2027.flatMap(told.renewed));
  const invoices = await story.fatura.invoices.list({ subscription_id: id }).all({ max: 100 });
  expect(invoices.map(({ status, total }) => [status, total])).toEqual(Array(13).fill(['paid', 9_990]));
});
