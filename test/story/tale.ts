import { Fatura, FaturaError, type PriceCreate, type Subscription } from '@fatura/sdk';
import { changeBehaviour, resetBehaviour } from '../../server/payments/acquirer/sandbox/behaviour.ts';
import type { Merchant, TestApi } from '../support/api.ts';
import type { Receiver } from '../support/receiver.ts';
import { eventually } from '../workflows/support.ts';
import { APPROVED, card, DECLINED, maria, RENEWALS_DECLINED } from './buyer.ts';
import { Recorder } from './recorder.ts';

/** When the story begins: the morning of 21 November 2026. */
export const BEGINNING = 1_795_257_600;
export const DAY = 86_400;

/** Passes over the one refusal that a chapter is about. */
async function refusedWith(code: string, work: Promise<unknown>): Promise<void> {
  await work.then(
    () => Promise.reject(new Error(`${code} was expected`)),
    (error: unknown) => {
      if (!(error instanceof FaturaError) || error.code !== code) throw error;
    },
  );
}

export interface Scene {
  readonly api: TestApi;
  readonly merchant: Merchant;
  readonly receiver: Receiver;
  /** Sends the requests that the reference shows. */
  readonly fetch: typeof globalThis.fetch;
}

/** One shop and one buyer: everything that the reference shows happened to them, in this order. */
export class Tale {
  readonly recorder: Recorder;
  /** An event of each type, the first that there was. */
  readonly events: Record<string, unknown> = {};
  readonly #scene: Scene;
  readonly #fatura: Fatura;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.recorder = new Recorder(scene.fetch);
    const { baseUrl } = scene.api;
    const apiKey = scene.merchant.sandboxKey;
    this.#fatura = new Fatura({ apiKey, baseUrl, retries: 0, fetch: this.recorder.fetch });
  }

  async tell(): Promise<void> {
    await this.#theShop();
    await this.#theKeys();
    const { price, customer } = await this.#theCatalogue();
    await this.#theCoupons();
    const paid = await this.#theSale(price, customer);
    await this.#theEvents(paid.invoice);
    await this.#theReturns(paid);
    await this.#theExport();
    await this.#otherInvoices(price, customer);
    await this.#theHostedPage(price);
    await this.#theLinks(price);
    await this.#theWaitingItems(customer);
    await this.#noteEvents(); // those of today are forgotten before the subscription's end
    await this.#theSubscription(customer);
    await this.#theEnd(customer);
    await this.#noteEvents();
    await this.#fatura.testClock.reset();
  }

  async #noteEvents(): Promise<void> {
    const all = await this.#scene.merchant.fatura.events.list({ limit: 100 }).all({ max: 1_000 });
    for (const event of all.reverse()) this.events[event.type] ??= event;
  }

  async #theShop(): Promise<void> {
    const { account, collectionSettings, webhookEndpoints, testClock } = this.#fatura;
    await testClock.retrieve();
    const { receiver } = this.#scene;
    const endpoint = await webhookEndpoints.create({
      url: receiver.url,
      event_types: ['*'],
      description: 'Produção',
    });
    receiver.secret = endpoint.secret ?? '';
    await account.update({
      name: 'Loja Exemplo',
      support_email: 'ajuda@loja.example',
      color: '#0b5d3b',
      mail_settings: { sentence: 'Obrigado por comprar com a gente!' },
    });
    await account.retrieve();
    await collectionSettings.update({
      retry_days: [1, 3, 7],
      reminder_days: [-3, 0, 1, 3, 7],
      late_fees: { fine_percentage: 2, interest_percentage: 1, grace_days: 0, collect: 'at_payment' },
      portal: { pause: true },
    });
    await collectionSettings.retrieve();
    await webhookEndpoints.retrieve(endpoint.id);
    await webhookEndpoints.test(endpoint.id);
  }

  async #theKeys(): Promise<void> {
    const { apiKeys } = this.#fatura;
    const key = await apiKeys.create({ name: 'ERP', scope: 'read', networks: ['203.0.113.0/24'] });
    await apiKeys.retrieve(key.id);
    await apiKeys.update(key.id, { name: 'ERP da matriz' });
    const rolled = await apiKeys.roll(key.id, { hours: 24 });
    await apiKeys.list({ status: 'valid', limit: 2 }).page();
    await apiKeys.revoke(rolled.id);
    await this.#fatura.auditLog.list({ action: 'api_key.updated' }).page();
  }

  async #theCatalogue() {
    const { products, prices, customers } = this.#fatura;
    const product = await products.create({
      name: 'Plano Ouro',
      description: 'Acesso completo',
      external_code: 'plano-ouro',
    });
    await products.retrieve(product.id);
    await products.list({ active: true }).page();
    const price = await prices.create({ product_id: product.id, unit_amount: 9990, type: 'one_time' });
    const monthly: PriceCreate = {
      product_id: product.id,
      unit_amount: 4990,
      type: 'recurring',
      recurring: { interval: 'month' },
      external_code: 'ouro-mensal',
    };
    await this.recorder.naming('recurring', () => prices.create(monthly));
    await this.recorder.naming('existing', () => prices.create(monthly));
    await prices.retrieve(price.id);
    await prices.list({ product_id: product.id }).page();
    const customer = await customers.create(maria);
    await customers.retrieve(customer.id);
    await customers.list({ email: maria.email }).page();
    await customers.createNote(customer.id, { text: 'Ligou hoje: prefere pagar por PIX.' });
    await customers.listNotes(customer.id).page();
    await customers.createPortalLink(customer.id, { return_url: 'https://loja.example.com/conta' });
    await customers.update(customer.id, { phone: null });
    await customers.export(customer.id);
    await products.update(product.id, { description: 'Acesso completo, com suporte' });
    await prices.update(price.id, { card_installments_enabled: true, max_card_installments: 6 });
    return { price: price.id, customer: customer.id };
  }

  async #theCoupons(): Promise<void> {
    const { coupons, promotionCodes } = this.#fatura;
    const coupon = await coupons.create({
      name: 'Boas-vindas',
      type: 'percentage',
      percentage: 10,
      cycles: 1,
      max_redemptions: 100,
      external_code: 'boas-vindas',
    });
    await coupons.retrieve(coupon.id);
    await coupons.list({ active: true }).page();
    await coupons.update(coupon.id, { name: 'Boas-vindas de verão' });
    const code = await promotionCodes.create({ coupon_id: coupon.id, code: 'volte10' });
    await promotionCodes.retrieve(code.id);
    await promotionCodes.list({ code: 'VOLTE10' }).page();
    await promotionCodes.update(code.id, { expires_at: BEGINNING + 90 * DAY });
  }

  async #theWaitingItems(customer: string): Promise<void> {
    const { invoiceItems } = this.#fatura;
    const item = await invoiceItems.create({
      customer_id: customer,
      type: 'charge',
      amount: 15_000,
      description: 'Visita técnica',
    });
    await invoiceItems.retrieve(item.id);
    await invoiceItems.list({ status: 'pending' }).page();
    await invoiceItems.delete(item.id);
  }

  /** By PIX: the invoice that the reference shows everywhere. */
  async #theSale(price: string, customer: string) {
    const { invoices, paymentIntents, testHelpers } = this.#fatura;
    const { id } = await invoices.create({
      customer_id: customer,
      line_items: [{ price_id: price, quantity: 1 }],
      description: 'Pedido 1042',
      external_code: 'order-1042',
      metadata: [{ order: '1042' }],
    });
    const { payment_intent: intent } = await invoices.checkout(id, { payment_method_type: 'pix' });
    await invoices.send(id);
    await this.#fatura.mails.list({ invoice_id: id }).page();
    await testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
    await invoices.retrieve(id);
    await invoices.list({ status: 'paid' }).page();
    await paymentIntents.retrieve(intent ?? '');
    await paymentIntents.list({ invoice_id: id }).page();
    await this.#fatura.pixReceipts.list({ paid_at_gte: BEGINNING }).page();
    await this.#fatura.search.retrieve({ query: 'maria sil', limit: 1 });
    return { invoice: id, intent: intent ?? '' };
  }

  async #theReturns({ intent }: { intent: string }): Promise<void> {
    const { refunds, disputes, testHelpers, testClock } = this.#fatura;
    await refunds.create({ payment_intent: intent, amount: 2990, reason: 'requested_by_customer' });
    const { now } = await testClock.retrieve();
    await testClock.advance({ to: now + 60 });
    await refunds.retrieve(intent);
    await refunds.list().page();
    await testHelpers.paymentIntents.dispute(intent, { scenario: 'fraud', amount: 4000 });
    const [dispute] = await disputes.list({ payment_intent_id: intent }).all({ max: 1 });
    await disputes.retrieve(dispute?.id ?? '');
    await testHelpers.paymentIntents.dispute(intent, { scenario: 'reversed' });
    await this.#refusedByTheBank(intent);
    await refunds.create({ payment_intent: intent });
    await testClock.advance({ to: now + 180 });
    await this.#fatura.summary.retrieve();
    await this.#fatura.reports.cashFlow({ from: '2026-11-21', until: '2026-11-22' });
  }

  /** The worker writes its file. */
  async #theExport(): Promise<void> {
    const { exports } = this.#fatura;
    const { id } = await exports.create({
      type: 'invoices',
      filters: { status: 'paid', paid_at_gte: BEGINNING },
      columns: ['id', 'status_transitions.paid_at', 'customer_name', 'total'],
    });
    await eventually('the file of the export', async () => {
      const { status } = await this.#scene.merchant.fatura.exports.retrieve(id);
      return status === 'completed';
    });
    await exports.retrieve(id);
    await exports.list().page();
  }

  async #refusedByTheBank(intent: string): Promise<void> {
    const { pool } = this.#scene.api.composition.deps;
    const { accountId } = this.#scene.merchant;
    await changeBehaviour(pool, { accountId, call: 'refundPix', changes: { refuse: 1 } });
    await this.#whenFelt();
    await this.#fatura.refunds.create({ payment_intent: intent, amount: 1000 });
    const { now } = await this.#fatura.testClock.retrieve();
    await this.#fatura.testClock.advance({ to: now + 60 });
    await resetBehaviour(pool, accountId);
    await this.#whenFelt();
  }

  /** The sandbox's bank looks at its settings once a second. */
  #whenFelt = () => new Promise((resolve) => setTimeout(resolve, 1_100));

  async #otherInvoices(price: string, customer: string): Promise<void> {
    const { invoices } = this.#fatura;
    const line_items = [{ price_id: price, quantity: 2 }];
    const discounts = [{ type: 'percentage' as const, percentage: 10, description: 'Boas-vindas' }];
    const draft = await this.recorder.naming('draft', () =>
      invoices.create({ customer_id: customer, line_items, discounts, draft: true }),
    );
    await invoices.update(draft.id, { description: 'Pedido 1043' });
    await invoices.finalize(draft.id);
    await refusedWith('CARD_DECLINED', invoices.checkout(draft.id, card(DECLINED)));
    const paid = await this.recorder.naming('card', () =>
      invoices.checkout(draft.id, { ...card(APPROVED), installments: 3 }),
    );
    await this.recorder.naming('card', () =>
      this.#fatura.refunds.create({ payment_intent: paid.payment_intent ?? '' }),
    );
    const coupon = { promotion_code: 'VOLTE10' };
    const open = await this.recorder.naming('coupon', () =>
      invoices.create({ customer_id: customer, line_items, ...coupon }),
    );
    await invoices.checkout(open.id, { payment_method_type: 'pix' });
    await invoices.extend(open.id, { due_at: open.due_at + 4 * DAY });
    await invoices.void(open.id);
    const discounted = await this.#scene.merchant.fatura.invoices.create({
      customer_id: customer,
      line_items,
      ...coupon,
    });
    await this.#scene.merchant.fatura.invoices.checkout(discounted.id, card(APPROVED));
    const lost = await invoices.create({ customer_id: customer, line_items });
    await this.#fatura.reports.aging();
    await invoices.markUncollectible(lost.id);
  }

  /** A subscription whose card fails at its renewal, is suspended, and comes back. */
  async #theSubscription(customer: string): Promise<void> {
    const { prices, subscriptions, testClock } = this.#fatura;
    const [monthly] = await prices.list({ type: 'recurring' }).all({ max: 1 });
    const subscription = await subscriptions.create({
      customer_id: customer,
      price_id: monthly?.id ?? '',
      external_code: 'assinatura-77',
    });
    await subscriptions.retrieve(subscription.id);
    await subscriptions.checkout(subscription.id, card(RENEWALS_DECLINED));
    await subscriptions.list({ customer_id: customer }).page();
    await subscriptions.upcomingInvoice(subscription.id);
    await subscriptions.update(subscription.id, { quantity: 2, collection: { reminder_days: [-3, 0] } });
    const { now } = await testClock.retrieve();
    await testClock.advance({ to: now + 45 * DAY });
    await subscriptions.updatePaymentMethod(subscription.id, card(APPROVED));
    await this.#theCards(customer, subscription.id);
    await this.#fatura.collection.retrieve();
    await this.#fatura.collection.listInvoices({ stage: 'suspended' }).page();
    await subscriptions.reactivate(subscription.id);
    // Its card is charged in the wake of the answer.
    await eventually('the payment of the suspended subscription', async () => {
      const { status } = await this.#scene.merchant.fatura.subscriptions.retrieve(subscription.id);
      return status === 'active';
    });
    await subscriptions.cancelAt(subscription.id, { at: 'period_end' });
    await subscriptions.uncancel(subscription.id);
    await subscriptions.pause(subscription.id, { at: 'now' });
    await subscriptions.resume(subscription.id);
    const trial = { days: 2, requires_payment_method: false };
    const tryOut = { customer_id: customer, price_id: monthly?.id ?? '', trial };
    await subscriptions.preview(tryOut);
    const tried = await subscriptions.create(tryOut);
    await subscriptions.endTrial(tried.id);
    await this.#theChanges(subscription);
    await this.#fatura.reports.subscriptions({ from: '2026-11-01', until: '2027-01-31', by: 'month' });
    const byPix = await this.recorder.naming('coupon', () =>
      subscriptions.create({ customer_id: customer, price_id: monthly?.id ?? '', promotion_code: 'VOLTE10' }),
    );
    await this.recorder.naming('pix', () => subscriptions.checkout(byPix.id, { payment_method_type: 'pix' }));
    await subscriptions.cancel(byPix.id);
    await this.#theMandate(customer, monthly?.id ?? '');
  }

  /** One that the first payment brings and its buyer rejects; another one debits a renewal, and is ended at the bank. */
  async #theMandate(customer: string, price: string): Promise<void> {
    const { invoices, mandates, subscriptions, testClock, testHelpers } = this.#fatura;
    const silent = this.#scene.merchant.fatura;
    const { id, latest_invoice: invoice } = await silent.subscriptions.create({
      customer_id: customer,
      price_id: price,
    });
    const asked = await this.recorder.naming('mandate', () =>
      subscriptions.checkout(id, { payment_method_type: 'pix_automatico' }),
    );
    await testHelpers.mandates.reject(asked.mandate ?? '');
    const { payment_intent: intent } = await silent.invoices.retrieve(invoice ?? '');
    await silent.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
    const mandate = await mandates.create(id, { journey: 'mandate_only' });
    await testHelpers.mandates.approve(mandate.id);
    await mandates.retrieve(mandate.id);
    await mandates.list({ subscription_id: id }).page();
    const { current_period_end: end } = await silent.subscriptions.retrieve(id);
    await testClock.advance({ to: (end ?? 0) - 4 * DAY });
    const { latest_invoice: renewal } = await silent.subscriptions.retrieve(id);
    const { payment_intent: debit } = await invoices.retrieve(renewal ?? '');
    await testHelpers.paymentIntents.debit(debit ?? '', { outcome: 'insufficient' });
    await testHelpers.mandates.cancel(mandate.id, { by: 'payer' });
    const another = await silent.mandates.create(id, { journey: 'mandate_only' });
    await mandates.cancel(another.id);
    await silent.subscriptions.cancel(id);
  }

  /** The one that was declined goes; the other is the default, which its issuer renews. */
  async #theCards(customer: string, subscription: string): Promise<void> {
    const { paymentMethods, subscriptions, testHelpers } = this.#fatura;
    const { data } = await paymentMethods.list(customer).page();
    const [charged = '', former = ''] = data.map(({ id }) => id);
    await paymentMethods.setDefault(charged);
    await this.recorder.naming('stored', () =>
      subscriptions.updatePaymentMethod(subscription, { payment_method_id: charged }),
    );
    await testHelpers.paymentMethods.change(charged, { scenario: 'renewed' });
    await paymentMethods.retrieve(charged);
    await refusedWith('PAYMENT_METHOD_IN_USE', paymentMethods.delete(charged));
    await paymentMethods.delete(former);
  }

  /** One now, one that is taken back, and one that lapses. */
  async #theChanges({ id, item: { price } }: Subscription): Promise<void> {
    const { subscriptionChanges, testClock } = this.#fatura;
    const silent = this.#scene.merchant.fatura;
    const recurring = { interval: price.interval, interval_count: price.interval_count };
    const seats = await silent.prices.create({
      product_id: price.product,
      unit_amount: 1_990,
      type: 'recurring',
      recurring,
    });
    const items = [{ price_id: seats.id, quantity: 2 }];
    const { total } = await subscriptionChanges.preview(id, { items });
    const { items_after: after } = await subscriptionChanges.create(id, { items, expected_total: total });
    const item = after.data.at(-1)?.item ?? '';
    const later = { effective: 'period_end' } as const;
    const waiting = await silent.subscriptionChanges.create(id, { items: [{ item, quantity: 3 }], ...later });
    await subscriptionChanges.cancel(id, waiting.id);
    await silent.subscriptionChanges.create(id, { items: [{ item, quantity: 4 }], ...later });
    await silent.subscriptionChanges.create(id, { items: [{ item, removed: true }], effective: 'now' });
    await this.#noteEvents(); // before the month of the change goes by
    const { now } = await testClock.retrieve();
    await silent.testClock.advance({ to: now + 32 * DAY });
  }

  async #theHostedPage(price: string): Promise<void> {
    const { checkoutSessions, invoices } = this.#fatura;
    const session = (external_code: string, more: object = {}) =>
      checkoutSessions.create({
        mode: 'payment',
        line_items: [{ price_id: price, quantity: 1 }],
        success_url: 'https://loja.example/obrigado?session={CHECKOUT_SESSION_ID}',
        return_url: 'https://loja.example/carrinho',
        external_code,
        ...more,
      });
    const { id, url } = await session('order-1050', { allow_promotion_codes: true });
    await this.#fillIn(url);
    const { invoice } = await checkoutSessions.retrieve(id);
    await invoices.checkout(invoice ?? '', card(APPROVED));
    await checkoutSessions.list({ status: 'complete' }).page();
    const left = await session('order-1051', { promotion_code: 'VOLTE10' });
    await checkoutSessions.expire(left.id);
  }

  async #theLinks(price: string): Promise<void> {
    const { paymentLinks, prices } = this.#fatura;
    const [monthly] = await prices.list({ type: 'recurring' }).all({ max: 1 });
    const link = await paymentLinks.create({
      line_items: [{ price_id: price, quantity: 1 }],
      max_sales: 50,
      external_code: 'feira-2026',
    });
    await this.recorder.naming('amount', () => paymentLinks.create({ amount: 7_500, description: 'Aula avulsa' }));
    await this.recorder.naming('trial', () =>
      paymentLinks.create({
        line_items: [{ price_id: monthly?.id ?? '', quantity: 1 }],
        subscription: { trial: { days: 14 } },
        allow_promotion_codes: true,
        metadata: [{ campaign: 'verao' }],
      }),
    );
    await paymentLinks.retrieve(link.id);
    await paymentLinks.list({ active: true }).page();
    await paymentLinks.update(link.id, { active: false });
  }

  /** The buyer's part has no operation of the API: it is sent as the hosted page sends it. */
  async #fillIn(url: string): Promise<void> {
    const page = `${this.#scene.api.baseUrl}${new URL(url).pathname}/buyer`;
    const { external_code: _, address: _where, ...form } = maria;
    const answer = await fetch(page, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', 'idempotency-key': 'filled' },
      body: JSON.stringify(form),
    });
    if (!answer.ok) throw new Error(`the page refused its buyer: ${await answer.text()}`);
  }

  async #theEvents(invoice: string): Promise<void> {
    const { events, webhookEndpoints } = this.#fatura;
    await this.#allDelivered();
    const page = await events.list({ type: ['invoice.paid'], related_object: invoice }).page();
    const [paid] = page.data;
    const id = paid?.id ?? '';
    await events.retrieve(id);
    await events.deliveries(id);
    await events.feed({ since: BEGINNING, type: ['invoice.paid'] });
    const [endpoint] = await webhookEndpoints.list().all({ max: 1 });
    const we = endpoint?.id ?? '';
    await webhookEndpoints.deliveries(we, { type: ['invoice.paid'], event: id }).page();
    await events.resend(id);
    await this.#allDelivered();
    await webhookEndpoints.recover(we, { since: (await this.#fatura.testClock.retrieve()).now - DAY });
    await webhookEndpoints.retrieveRecovery(we);
    await webhookEndpoints.update(we, { event_types: ['invoice.*', 'refund.*'] });
    await webhookEndpoints.rotateSecret(we);
    await webhookEndpoints.enable(we);
    await webhookEndpoints.delete(we);
  }

  #allDelivered(): Promise<unknown> {
    return eventually('every event at the receiver', async () => {
      const { data } = await this.#scene.merchant.fatura.events.list({ limit: 1, delivery_status: 'pending' }).page();
      return data.length === 0;
    });
  }

  async #theEnd(customer: string): Promise<void> {
    const { customers, subscriptions } = this.#fatura;
    for (const { id, status } of await subscriptions.list({ customer_id: customer }).all({ max: 10 }))
      if (status !== 'inactive') await subscriptions.cancel(id);
    await customers.anonymize(customer);
  }
}
