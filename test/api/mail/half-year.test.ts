import { expect, test } from 'vitest';
import { civilDate } from '../../../server/kernel/brazil.ts';
import { refundSettlementStep } from '../../../server/payments/refunds/settlement.ts';
import { performStep } from '../../../server/subscriptions/collection/step.ts';
import { byCard, cards } from '../../support/cards.ts';
import { newCustomer, newInvoice } from '../../support/factories.ts';
import { newMonthly, payByPix } from '../../support/subscriptions.ts';
import { SubscriptionScene } from '../subscriptions/subscription-scene.ts';

const scene = new SubscriptionScene();
const DAY = 86_400;

/** What a buyer was written to: the day, why, and the subject. */
async function lettersOf(customer: string): Promise<[string, string, string][]> {
  const rows = await scene.rows(
    'SELECT created, occasion, subject FROM mail WHERE customer_id = $1 ORDER BY created, id',
    customer,
  );
  return rows.map(({ created, occasion, subject }) => [
    civilDate(Number(created)),
    String(occasion),
    String(subject).replace('[Teste] ', '').replace(' – Loja do Teste', ''),
  ]);
}

test('half a year of a buyer is told letter by letter, each once and at its instant', async () => {
  const { fatura } = scene;
  scene.api.clock.advance(Date.UTC(2031, 0, 6, 15) / 1_000 - scene.now());
  const { id: customer } = await newCustomer(scene.merchant, { email: 'maria@example.com' });

  // A single purchase, of which a part goes back.
  const { id: single } = await newInvoice(scene.merchant, { customer_id: customer });
  const { payment_intent: intent } = await fatura.invoices.checkout(single, byCard(cards.mastercard));
  await fatura.refunds.create({ payment_intent: intent ?? '', amount: 1_000 });

  // A trial with a card, which is charged when it ends, and again a month later.
  const { id } = await scene.subscribe({ customer_id: customer, trial: { days: 14 }, amount: 4_990 });
  await scene.subscriptions.checkout(id, byCard(cards.approved));
  await scene.pass(id, 14 * DAY);
  await scene.renew(id);

  // A smaller plan from the next period on, of which the buyer is told a week before.
  const { item } = await scene.subscriptions.retrieve(id);
  const { id: small } = await newMonthly(scene.merchant, { unit_amount: 2_990 });
  await fatura.subscriptionChanges.create(id, { items: [{ item: item.id, price_id: small }], effective: 'period_end' });
  await scene.renew(id);

  // The card is declined until the subscription is suspended; its payment by PIX brings it back.
  await scene.subscriptions.updatePaymentMethod(id, byCard(cards.renewals_declined));
  await scene.suspend(id);
  const [open] = await scene.openInvoices(id);
  await payByPix(scene.merchant, open?.id ?? '');

  // It is cancelled for the end of the period, and ends.
  const { current_period_end: end } = await scene.subscriptions.cancelAt(id, { at: 'period_end' });
  await scene.pass(id, (end ?? 0) - scene.now());
  expect(await scene.subscriptions.retrieve(id)).toMatchObject({ status: 'inactive' });

  expect(await lettersOf(customer)).toEqual([
    ['06/01/2031', 'paid', 'Pagamento confirmado: R$ 99,90'],
    ['06/01/2031', 'refunded', 'Reembolso de R$ 10,00'],
    ['06/01/2031', 'trial_begun', 'Seu teste grátis começou'],
    ['17/01/2031', 'trial_ending', 'Seu teste grátis termina em 20/01/2031'],
    ['20/01/2031', 'paid', 'Pagamento confirmado: R$ 49,90'],
    ['20/02/2031', 'paid', 'Pagamento confirmado: R$ 49,90'],
    ['20/02/2031', 'plan_changed', 'Sua assinatura muda em 20/03/2031'],
    ['13/03/2031', 'renewal_ahead', 'Sua assinatura renova em 20/03/2031'],
    ['20/03/2031', 'paid', 'Pagamento confirmado: R$ 29,90'],
    ['20/04/2031', 'declined', 'Não conseguimos cobrar o seu cartão'],
    ['21/04/2031', 'declined', 'Não conseguimos cobrar o seu cartão'],
    ['23/04/2031', 'declined', 'Não conseguimos cobrar o seu cartão'],
    ['27/04/2031', 'declined', 'Não conseguimos cobrar o seu cartão'],
    ['30/04/2031', 'suspended', 'Sua assinatura foi suspensa'],
    ['30/04/2031', 'reactivated', 'Sua assinatura está ativa de novo'],
    ['30/04/2031', 'canceled', 'Sua assinatura termina em 30/05/2031'],
  ]);
});

test('money that comes twice or goes back to the bank is told of, too', async () => {
  const { fatura } = scene;
  scene.api.clock.advance(Date.UTC(2031, 6, 7, 15) / 1_000 - scene.now());
  const { id: customer } = await newCustomer(scene.merchant, { email: 'ana@example.com' });
  const { id } = await newInvoice(scene.merchant, { customer_id: customer, amount: 3_000 });
  const { intent } = await scene.checkoutByPix(id);
  await scene.payPix(intent, 'paid_twice');

  // What came twice goes back the same day; the bank says so seconds later.
  const [surplus] = await scene.rows('SELECT id FROM payment_intent WHERE invoice_id = $1 AND surplus', id);
  await refundSettlementStep(scene.deps, String(surplus?.id));
  scene.api.clock.advance(5);
  await refundSettlementStep(scene.deps, String(surplus?.id));

  // A week later the buyer says that it was not them; the bank takes the money, and gives it back.
  scene.api.clock.advance(7 * DAY);
  await fatura.testHelpers.paymentIntents.dispute(intent, { scenario: 'fraud' });
  scene.api.clock.advance(10 * DAY);
  await fatura.testHelpers.paymentIntents.dispute(intent, { scenario: 'reversed' });

  const told = await lettersOf(customer);
  expect(told.map(([day, occasion]) => [day, occasion])).toEqual([
    ['07/07/2031', 'paid'],
    ['07/07/2031', 'pix_returned'],
    ['14/07/2031', 'dispute_decided'],
    ['24/07/2031', 'dispute_decided'],
  ]);
});

test('a bill that stands alone is reminded of until it is paid, with what it costs that it is late', async () => {
  const { fatura } = scene;
  scene.api.clock.advance(Date.UTC(2031, 7, 4, 15) / 1_000 - scene.now());
  const late_fees = { fine_percentage: 2, interest_percentage: 1, grace_days: 0, collect: 'at_payment' } as const;
  await fatura.collectionSettings.update({ late_fees });
  const { id: customer } = await newCustomer(scene.merchant, { email: 'bia@example.com' });
  const { id } = await newInvoice(scene.merchant, { customer_id: customer, due_at: scene.now() + 7 * DAY });
  await fatura.collectionSettings.update({ late_fees: null });

  const performed: string[] = [];
  while (performed.length < 5) {
    const [{ step_at: at } = {}] = await scene.rows('SELECT step_at FROM invoice WHERE id = $1', id);
    scene.api.clock.advance(Math.max(0, Number(at) - scene.now()));
    performed.push(await performStep(scene.deps, id));
  }
  expect(performed).toEqual(['remind', 'remind', 'mark_overdue', 'remind', 'remind']);
  await payByPix(scene.merchant, id);

  expect(await lettersOf(customer)).toEqual([
    ['08/08/2031', 'reminder', 'Sua fatura vence em 11/08/2031'],
    ['11/08/2031', 'reminder', 'Sua fatura vence hoje, 11/08/2031'],
    ['12/08/2031', 'reminder', 'Sua fatura venceu em 11/08/2031'],
    ['14/08/2031', 'reminder', 'Sua fatura está em atraso desde 11/08/2031'],
    ['14/08/2031', 'paid', 'Pagamento confirmado: R$ 102,00'],
  ]);
  const asked = await scene.rows(`SELECT body_text FROM mail WHERE customer_id = $1 ORDER BY created, id`, customer);
  expect(asked.map(({ body_text: text }) => /R\$ \d+,\d\d/.exec(String(text))?.[0])).toEqual([
    ...['R$ 99,90', 'R$ 99,90', 'R$ 101,93', 'R$ 102,00', 'R$ 102,00'],
  ]);
});
