import { FaturaError } from '@fatura/sdk';
import { expect, test } from 'vitest';
import { byCard } from '../../support/cards.ts';
import { ACTIVATED, SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();
const pix = { payment_method_type: 'pix' } as const;

/** What each call came to: its status for the buyer, or the code that refused it. */
async function codesOf(calls: readonly Promise<{ status: string }>[]): Promise<string[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((one) => {
    if (one.status === 'fulfilled') return one.value.status;
    if (one.reason instanceof FaturaError) return one.reason.code;
    throw one.reason;
  });
}

/** Refusals that a race may end in: who comes late is told so, and nobody is told to try again for a lock. */
const LATE = ['INVOICE_NOT_OPEN', 'PAYMENT_IN_PROGRESS', 'PIX_PAYMENT_CONFIRMED', 'SUBSCRIPTION_NOT_PENDING'];

const count = (all: readonly unknown[], one: unknown): number => all.filter((other) => other === one).length;

async function expectActivatedOnce(id: string, invoice: string): Promise<void> {
  const types = await scene.types(id);
  for (const type of ['invoice.paid', ...ACTIVATED]) expect([type, count(types, type)]).toEqual([type, 1]);
  expect(count(await scene.statusesOf(invoice), 'paid')).toBe(1);
  expect(await scene.cycles(id)).toMatchObject({
    cycle: 1,
    anchorCycle: 1,
    invoices: [[1, 'paid', scene.now(), expect.any(Number)]],
  });
}

test('thirty checkouts by card at once activate a subscription once', async () => {
  const { id, latest_invoice: invoice } = await scene.subscribe();
  const calls = Array.from({ length: 30 }, () => scene.subscriptions.checkout(id, byCard()));
  const codes = await codesOf(calls);
  expect(count(codes, 'active')).toBe(1);
  for (const code of codes) expect(['active', ...LATE]).toContain(code);
  expect(await scene.chargesAtBank(invoice ?? '')).toHaveLength(1);
  await expectActivatedOnce(id, invoice ?? '');
});

test('thirty checkouts at once, by card and by PIX, of the subscription and of its invoice, activate it once', async () => {
  const { id, latest_invoice } = await scene.subscribe();
  const invoice = latest_invoice ?? '';
  const ways = [
    () => scene.subscriptions.checkout(id, byCard()),
    () => scene.subscriptions.checkout(id, pix),
    () => scene.fatura.invoices.checkout(invoice, byCard()),
    () => scene.fatura.invoices.checkout(invoice, pix),
  ];
  const codes = await codesOf(Array.from({ length: 30 }, (_, index) => ways[index % ways.length]?.() ?? expect.fail()));
  for (const code of codes) expect(['active', 'pending', 'paid', 'open', ...LATE]).toContain(code);
  if ((await scene.status(id)) === 'pending') await scene.subscriptions.checkout(id, byCard());
  await expectActivatedOnce(id, invoice);
});

test('a QR code that is paid twenty times at once activates a subscription once, and the rest is returned', async () => {
  const { id, invoice, intent } = await scene.subscribeByPix();
  await scene.payPixUnheard(intent, 'paid_twice');
  await codesOf(Array.from({ length: 20 }, () => scene.payPix(intent)));
  await expectActivatedOnce(id, invoice);
  expect(await scene.statusesOf(invoice)).toEqual(['paid', 'refunding']);
});

/** Later by a few milliseconds, so that each of several calls is ahead of the others in some round. */
const pause = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 25));

test('a cancellation, a card and a PIX at the same moment end in what was paid being active or cancelled, and nothing else', async () => {
  for (let round = 0; round < 30; round += 1) {
    const { id, invoice, intent } = await scene.subscribeByPix();
    const codes = await codesOf([
      pause().then(() => scene.subscriptions.cancel(id)),
      pause().then(() => scene.subscriptions.checkout(id, byCard())),
      pause().then(() => scene.payPix(intent, round % 2 === 0 ? 'paid' : 'paid_late')),
    ]);
    // The bank refuses a payer whose QR code has ended.
    const allowed = [...LATE, 'INVALID_STATE', 'active', 'inactive', 'paid', 'discarded'];
    for (const code of codes) expect(allowed).toContain(code);
    const status = await scene.status(id);
    const { status: billed } = await scene.invoice(invoice);
    const payments = count(await scene.statusesOf(invoice), 'paid');
    const types = await scene.types(id);
    expect(payments).toBe(Number(billed === 'paid'));
    expect(count(types, 'subscription.activated')).toBe(payments);
    expect(count(types, 'subscription.canceled')).toBe(Number(status === 'inactive'));
    expect(['active paid', 'inactive paid', 'inactive void', 'pending open']).toContain(`${status} ${billed}`);
  }
});

test('a payment, a reactivation and a cancellation of a suspended one at once end in one of their ways', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { id, invoice } = await scene.make('suspended');
    const { intent } = await scene.checkoutByPix(invoice);
    const calls = [
      scene.payPix(intent),
      scene.subscriptions.reactivate(id),
      ...(round % 2 === 0 ? [scene.subscriptions.cancel(id)] : []),
    ];
    const codes = await codesOf(calls);
    for (const code of codes)
      expect([...LATE, 'INVALID_STATE', 'paid', 'pending', 'inactive', 'discarded']).toContain(code);
    const types = await scene.types(id);
    expect(count(types, 'subscription.reactivated')).toBeLessThanOrEqual(1);
    expect(count(types, 'subscription.activated')).toBe(count(types, 'invoice.paid'));
    if (round % 2 === 1) expect(await scene.status(id)).toBe('active');
  }
});

test('changes and payments at once lose nothing of each other', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { id } = await scene.subscribe();
    await Promise.all([
      scene.subscriptions.update(id, { quantity: 3 }),
      scene.subscriptions.checkout(id, byCard()),
      scene.subscriptions.update(id, { external_code: 'raced' }),
    ]);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({
      status: 'active',
      external_code: 'raced',
      payment_method_type: 'card',
      item: { quantity: 3 },
    });
  }
});

test('a customer who is anonymized as a subscription is made is subscribed or anonymous, never both', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { customer, id: first, item } = await scene.subscribe();
    await scene.subscriptions.cancel(first);
    const makings = Array.from({ length: 4 }, () =>
      scene.subscriptions.create({ customer_id: customer, price_id: item.price.id }),
    );
    const erasing = scene.fatura.customers.anonymize(customer).then(({ name }) => ({ status: name }));
    const codes = await codesOf([...makings, erasing]);
    const isErased = codes.at(-1) === 'Anonimizado';
    expect(count(codes, 'pending')).toBe(isErased ? 0 : 4);
    expect(count(codes, 'INVALID_STATE')).toBe(isErased ? 4 : 1);
  }
});
