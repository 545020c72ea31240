import { expect, test } from 'vitest';
import { civilDate } from '../../../server/kernel/brazil.ts';
import { byCard, cards } from '../../support/cards.ts';
import { newCustomer, newInvoice } from '../../support/factories.ts';
import { newMonthly, payByPix, subscribeByPix } from '../../support/subscriptions.ts';
import { SubscriptionScene } from '../subscriptions/subscription-scene.ts';

const scene = new SubscriptionScene();
const TERM = { cycles: 12, penalty_type: 'remaining_percentage', penalty_value: 20 } as const;

async function newBuyer(): Promise<string> {
  return (await newCustomer(scene.merchant, { email: 'maria@example.com' })).id;
}

/** What a buyer was written: why, and the text. */
async function lettersOf(customer: string): Promise<(readonly [occasion: string, text: string])[]> {
  const rows = await scene.rows('SELECT occasion, body_text FROM mail WHERE customer_id = $1 ORDER BY id', customer);
  return rows.map(({ occasion, body_text: text }) => [String(occasion), String(text)]);
}

async function letterOf(customer: string, occasion: string): Promise<string> {
  return (await lettersOf(customer)).find(([of]) => of === occasion)?.[1] ?? 'none';
}

test('an end before the minimum term tells of its bill, and one to come that there may be one', async () => {
  const customer = await newBuyer();
  const { id } = await scene.subscribe({ customer_id: customer, minimum_term: TERM });
  const { minimum_term: term } = await scene.subscriptions.checkout(id, byCard(cards.approved));
  await scene.subscriptions.cancelAt(id, { at: 'period_end' });
  const ahead = await letterOf(customer, 'canceled');
  expect(ahead).toContain(`O prazo mínimo vai até ${civilDate(term?.ends_at ?? 0)}: a multa do contrato vem`);
  expect(ahead).toContain('Desfaça o cancelamento antes dessa data pelo link no fim deste e-mail.');
  await scene.subscriptions.uncancel(id);

  const other = await newBuyer();
  const made = await scene.subscribe({ customer_id: other, minimum_term: TERM });
  await scene.subscriptions.checkout(made.id, byCard(cards.approved));
  await scene.subscriptions.cancel(made.id);
  const [bill] = await scene.openInvoices(made.id);
  const ended = await letterOf(other, 'canceled');
  expect(ended).toContain('Última fatura: R$ 219,78');
  expect(bill).toMatchObject({ billing_reason: 'subscription_end', total: 21_978 });
  expect(ended).toContain(bill?.payment_url ?? 'no link');
  expect(ended).not.toContain('Nenhuma nova cobrança será feita');
});

test('an end that brings no bill says that nothing more is charged', async () => {
  const customer = await newBuyer();
  const { id } = await scene.subscribe({ customer_id: customer });
  await scene.subscriptions.checkout(id, byCard(cards.approved));
  await scene.subscriptions.cancel(id);
  expect(await letterOf(customer, 'canceled')).toContain('Nenhuma nova cobrança será feita.');
});

test('what a discount takes off stands beside the price', async () => {
  const customer = await newBuyer();
  const discounts = [{ type: 'percentage' as const, percentage: 50, cycles: 3 }];
  const { id } = await scene.subscribe({ customer_id: customer, discounts, trial: { days: 14 } });
  await scene.subscriptions.checkout(id, byCard(cards.approved));
  expect(await letterOf(customer, 'trial_begun')).toContain('Desconto: 50% nas 3 primeiras cobranças');
});

test('the end of a discount is told a week before the renewal that costs more, once', async () => {
  const customer = await newBuyer();
  const discounts = [{ type: 'percentage' as const, percentage: 50, cycles: 2 }];
  const { id } = await scene.subscribe({ customer_id: customer, discounts });
  await scene.subscriptions.checkout(id, byCard(cards.approved));
  for (let cycle = 2; cycle <= 4; cycle += 1) await scene.renew(id);
  expect((await lettersOf(customer)).map(([occasion]) => occasion)).toEqual([
    'subscription_begun',
    'paid',
    'renewal_ahead',
    'paid',
    'paid',
  ]);
  expect(await letterOf(customer, 'renewal_ahead')).toContain('Valor: R$ 99,90');
});

test('a change of what has not begun is no news', async () => {
  const customer = await newBuyer();
  const { id, item } = await scene.subscribe({ customer_id: customer });
  await scene.fatura.subscriptionChanges.create(id, { items: [{ item: item.id, quantity: 2 }] });
  expect(await lettersOf(customer)).toEqual([]);
});

test('whoever wants no letter of an occasion still has the one of the payment that came with it', async () => {
  const set = (isOn: boolean) =>
    scene.fatura.account.update({ mail_settings: { occasions: { subscription_begun: isOn } } });
  await set(false);
  const customer = await newBuyer();
  await subscribeByPix(scene.merchant, { customer_id: customer });
  await set(true);
  expect((await lettersOf(customer)).map(([occasion]) => occasion)).toEqual(['paid']);
});

test('the first reminder of a bill comes when its letter ahead says', async () => {
  const { id: price } = await newMonthly(scene.merchant, { recurring: { interval: 'month', interval_count: 12 } });
  const tell = async (reminder_days: number[]): Promise<string> => {
    const customer = await newBuyer();
    const collection = { reminder_days };
    const { id } = await subscribeByPix(scene.merchant, { customer_id: customer, price_id: price, collection });
    await scene.renew(id);
    return letterOf(customer, 'renewal_ahead');
  };
  expect(await tell([-3, 0])).toContain('chega por e-mail 3 dias antes do vencimento');
  expect(await tell([0])).toContain('chega por e-mail no dia do vencimento');
  expect(await tell([])).toContain('O QR Code da fatura fica na página da assinatura.');
});

test('every letter leads to what its reader can see and end', async () => {
  const customer = await newBuyer();
  const { id: single } = await newInvoice(scene.merchant, { customer_id: customer });
  await payByPix(scene.merchant, single);
  const { id } = await scene.subscribe({ customer_id: customer });
  await scene.subscriptions.checkout(id, byCard(cards.approved));
  await scene.renew(id);
  await scene.subscriptions.cancel(id);
  const letters = await lettersOf(customer);
  expect(letters.map(([occasion]) => occasion)).toEqual(['paid', 'subscription_begun', 'paid', 'canceled']);
  const feet = letters.map(([, text]) => /^(Ver .*): http:\/\/\S+\/portal$/m.exec(text)?.[1]);
  const ofSubscription = 'Ver ou cancelar a assinatura, ver cobranças e recibos';
  expect(feet).toEqual(['Ver cobranças e recibos', ofSubscription, ofSubscription, ofSubscription]);

  const { collectionSettings } = scene.fatura;
  await collectionSettings.update({ portal: { cancel: 'none' } });
  const other = await newBuyer();
  const made = await scene.subscribe({ customer_id: other });
  await scene.subscriptions.checkout(made.id, byCard(cards.approved));
  await scene.subscriptions.cancelAt(made.id, { at: 'period_end' });
  await collectionSettings.update({ portal: { cancel: 'period_end' } });
  const ahead = await letterOf(other, 'canceled');
  expect(ahead).toContain('Fale com a loja antes dessa data');
  expect(ahead).toMatch(/^Ver cobranças e recibos: /m);
});
