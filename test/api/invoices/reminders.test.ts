import { describe, expect, test } from 'vitest';
import { civilDaysBetween } from '../../../server/kernel/brazil.ts';
import { isLetterHour } from '../../../server/kernel/letter-hours.ts';
import { performStep } from '../../../server/subscriptions/collection/step.ts';
import { cards } from '../../support/cards.ts';
import { newCustomer, newInvoice, newPrice } from '../../support/factories.ts';
import { mailsOf } from '../../support/mails.ts';
import { PaymentScene } from '../payments/payment-scene.ts';

const DAY = 86_400;
const scene = new PaymentScene();

const now = (): number => scene.api.clock.now();
const perform = (invoice: string) => performStep(scene.deps, invoice);

const until = (hour: number): void => scene.api.clock.advanceToHour(hour);

/** An invoice that is made at an hour of the day and due days later. */
async function anInvoice({
  hour = 12,
  days = 10,
  ...overrides
}: Parameters<typeof newInvoice>[1] & { hour?: number; days?: number } = {}) {
  until(hour);
  const dueAt = now() + days * DAY;
  const { id } = await newInvoice(scene.merchant, { due_at: dueAt, ...overrides });
  return { id, dueAt };
}

const stepOf = async (id: string) => {
  const [row] = await scene.rows('SELECT step, step_at, reminders FROM invoice WHERE id = $1', id);
  return { step: row?.step, at: Number(row?.step_at) };
};

/** The days of the reminders that were written. */
const remindedOn = async (id: string) => (await mailsOf(scene.api, id)).map(({ step }) => step);

/** Lets time pass until nothing is done with an invoice by itself any more; what was done, and on which day from the due date. */
async function passAll({ id, dueAt }: { id: string; dueAt: number }): Promise<[string, number][]> {
  const done: [string, number][] = [];
  for (let next = await stepOf(id); next.step != null; next = await stepOf(id)) {
    scene.api.clock.advance(Math.max(0, next.at - now()));
    if (next.step === 'remind') expect(isLetterHour(now())).toBe(true);
    done.push([await perform(id), civilDaysBetween(dueAt, now())]);
  }
  return done;
}

const ALL = [-3, 0, 1, 3, 7];

describe('a standalone invoice', () => {
  test.each([12, 3, 22])(
    'due at %i h is reminded of on the civil days of its account, in the hours of letters',
    async (hour) => {
      const invoice = await anInvoice({ hour });
      const done = await passAll(invoice);
      const overdue: [string, number] = ['mark_overdue', 1];
      expect(done.filter(([what]) => what === 'remind')).toEqual(ALL.map((day) => ['remind', day]));
      expect(done.filter(([what]) => what !== 'remind')).toEqual([overdue]);
      expect(await remindedOn(invoice.id)).toEqual(ALL);
      expect(
        (await mailsOf(scene.api, invoice.id)).map(({ body_text }) =>
          body_text?.split('\n\n')[1]?.replace(/\d\d\/\d\d\/\d{4}/, 'D'),
        ),
      ).toEqual([
        'Sua fatura de Loja do Teste vence em 3 dias, em D.',
        'Sua fatura de Loja do Teste vence hoje, D.',
        'Sua fatura de Loja do Teste venceu ontem, D, e ainda não identificamos o seu pagamento.',
        'Sua fatura de Loja do Teste está em atraso há 3 dias, desde D.',
        'Este é o último lembrete: sua fatura de Loja do Teste venceu em D e continua em aberto.',
      ]);
    },
  );

  test('is not reminded of by a day that lies behind its making', async () => {
    const invoice = await anInvoice({ days: 0 });
    expect(await stepOf(invoice.id)).toMatchObject({ step: 'mark_overdue' });
    await passAll(invoice);
    expect(await remindedOn(invoice.id)).toEqual([1, 3, 7]);
  });

  test('that was a draft is reminded of by the days that are ahead as it is opened', async () => {
    const invoice = await anInvoice({ days: 4, draft: true });
    expect(await stepOf(invoice.id)).toMatchObject({ step: null });
    scene.api.clock.advance(2 * DAY);
    await scene.merchant.fatura.invoices.finalize(invoice.id);
    await passAll(invoice);
    expect(await remindedOn(invoice.id)).toEqual([0, 1, 3, 7]);
  });

  test('of a checkout session is told overdue alone', async () => {
    until(12);
    const price = await newPrice(scene.merchant);
    const { invoice } = await scene.merchant.fatura.checkoutSessions.create({
      ...{ mode: 'payment', line_items: [{ price_id: price.id, quantity: 1 }] },
      customer_id: (await newCustomer(scene.merchant)).id,
      ...{ success_url: 'https://loja.test/obrigado', return_url: 'https://loja.test/carrinho' },
    });
    const done = await passAll({ id: invoice ?? '', dueAt: now() });
    expect(done.map(([what]) => what)).toEqual(['mark_overdue']);
  });

  test('that got a later due date is reminded of by that', async () => {
    const invoice = await anInvoice({ days: 1 });
    scene.api.clock.advance(DAY);
    expect(await perform(invoice.id)).toBe('remind');
    const dueAt = now() + 5 * DAY;
    await scene.merchant.fatura.invoices.extend(invoice.id, { due_at: dueAt });
    await passAll({ ...invoice, dueAt });
    expect((await remindedOn(invoice.id)).toSorted((one, other) => Number(one) - Number(other))).toEqual([
      -3, 0, 0, 1, 3, 7,
    ]);
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['paid', (id) => scene.payByCard(id)],
    ['voided', (id) => scene.merchant.fatura.invoices.void(id)],
    ['given up', (id) => scene.merchant.fatura.invoices.markUncollectible(id)],
  ])('that was %s is reminded of no more', async (_, close) => {
    const { id } = await anInvoice();
    scene.api.clock.advance(7 * DAY);
    expect(await perform(id)).toBe('remind');
    await close(id);
    scene.api.clock.advance(30 * DAY);
    expect(await perform(id)).toBe('not_due');
    expect(await remindedOn(id)).toEqual([-3]);
  });

  test('is reminded of once a day, however many ask at once', async () => {
    const { id } = await anInvoice();
    scene.api.clock.advance(7 * DAY);
    const done = await Promise.all(Array.from({ length: 10 }, () => perform(id)));
    expect(done.filter((what) => what === 'remind')).toHaveLength(1);
    expect(await remindedOn(id)).toEqual([-3]);
  });

  test('whose reminder an outage held up is reminded of once, by the newest day, in the morning', async () => {
    const { id } = await anInvoice();
    scene.api.clock.advance(11 * DAY - 1);
    until(23);
    expect(await perform(id)).toBe('remind');
    expect(await remindedOn(id)).toEqual([]);
    expect(await perform(id)).not.toBe('remind');
    until(8);
    while ((await perform(id)) !== 'not_due');
    expect(await remindedOn(id)).toEqual([1]);
  });

  test('is reminded of while a charge is at the acquirer, as its letter is dropped should that pay', async () => {
    const { id } = await anInvoice();
    const intent = await scene.chargeCard(id, { number: cards.answer_lost });
    scene.api.clock.advance(7 * DAY);
    expect(await perform(id)).toBe('remind');
    await scene.reconcile(intent);
    expect(await perform(id)).toBe('not_due');
  });
});

test('an account that wants no reminders is not asked for any, and keeps those of what is open', async () => {
  const kept = await anInvoice();
  await scene.rows(
    `UPDATE collection_settings SET reminder_days = '{-7,2}' WHERE account_id = $1`,
    scene.merchant.accountId,
  );
  const { id: customer } = await newCustomer(scene.merchant);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const changed = await anInvoice({ customer_id: customer });
  await scene.rows(
    `UPDATE collection_settings SET reminder_days = '{}' WHERE account_id = $1`,
    scene.merchant.accountId,
  );
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const none = await anInvoice();
  expect(await passAll(none)).toEqual([['mark_overdue', 1]]);
  await passAll(kept);
  await passAll(changed);
  expect(await remindedOn(changed.id)).toEqual([2]);
  expect((await remindedOn(kept.id)).at(-1)).toBe(7);
});
