import type { Invoice } from '@fatura/sdk';
import { describe, expect, test, vi } from 'vitest';
import { readScope } from '../../../../server/accounts/scope.ts';
import type { AcquirerAnswer } from '../../../../server/payments/acquirer/port.ts';
import { pixExpiryStep } from '../../../../server/payments/pix/ending.ts';
import { qrImage } from '../../../../server/payments/pix/image.ts';
import { newInvoice } from '../../../support/factories.ts';
import { rolesOf } from '../../../support/roles.ts';
import { refusal } from '../payment-scene.ts';
import { PixScene } from './pix-scene.ts';

const DAY = 86_400;
const scene = new PixScene();

describe('when the bank fails', () => {
  test('unreachable: nothing happened, and the next checkout repeats the same txid', async () => {
    const invoice = await newInvoice(scene.merchant);
    scene.bank.meets('createPix', 'unreachable');
    await expect(scene.checkout(invoice.id, { idempotencyKey: 'away' })).rejects.toEqual(
      refusal('ACQUIRER_UNAVAILABLE', { status: 503, message: expect.stringContaining('nothing happened') }),
    );
    const [made] = await scene.qrsOf(invoice.id);
    expect(made).toMatchObject({ state: 'creating', copy_paste: null });
    expect(await scene.cobStatus(String(made?.id))).toBeUndefined();
    scene.bank.recovers();
    const answer = await scene.checkout(invoice.id, { idempotencyKey: 'away' });
    expect(await scene.qrsOf(invoice.id)).toEqual([
      { id: made?.id, state: 'active', copy_paste: answer.payment_method?.pix?.pix_copy_paste },
    ]);
    expect(await scene.events(invoice.id)).toEqual(['invoice.created', 'payment_intent.created']);
  });

  test('an answer that is lost: a repeat under the same key gets the QR code that the bank made', async () => {
    const invoice = await newInvoice(scene.merchant);
    scene.bank.meets('createPix', 'answer_lost');
    await expect(scene.checkout(invoice.id, { idempotencyKey: 'lost' })).rejects.toEqual(
      refusal('ACQUIRER_TIMEOUT', { status: 504 }),
    );
    const [made] = await scene.qrsOf(invoice.id);
    expect(await scene.cobStatus(String(made?.id))).toBe('ATIVA');
    scene.bank.recovers();
    const answer = await scene.checkout(invoice.id, { idempotencyKey: 'lost' });
    expect(await scene.qrsOf(invoice.id)).toEqual([
      { id: made?.id, state: 'active', copy_paste: answer.payment_method?.pix?.pix_copy_paste },
    ]);
    const replayed = await scene.checkout(invoice.id, { idempotencyKey: 'lost' }).withResponse();
    expect(replayed.data).toEqual(answer);
    expect(replayed.response.headers.get('idempotent-replayed')).toBe('true');
    expect(await scene.intentsOf(invoice.id)).toHaveLength(1);
  });

  test('a QR code that the bank never made is replaced after its end', async () => {
    const invoice = await newInvoice(scene.merchant);
    scene.bank.meets('createPix', 'unreachable');
    await expect(scene.checkout(invoice.id)).rejects.toEqual(refusal('ACQUIRER_UNAVAILABLE'));
    scene.bank.recovers();
    scene.api.clock.advance(DAY);
    await scene.checkout(invoice.id);
    expect(await scene.statusesOf(invoice.id)).toEqual(['discarded', 'pending']);
  });

  test('an ended QR code that cannot be asked about stays, and no second one is made', async () => {
    const invoice = await newInvoice(scene.merchant);
    const first = await scene.checkout(invoice.id);
    scene.api.clock.advance(DAY);
    scene.bank.meets('findPix', 'unreachable');
    await expect(scene.checkout(invoice.id)).rejects.toEqual(refusal('ACQUIRER_UNAVAILABLE', { status: 503 }));
    expect(await scene.intentsOf(invoice.id)).toMatchObject([{ id: first.payment_intent, status: 'pending' }]);
    expect(await scene.events(invoice.id)).toEqual(['invoice.created', 'payment_intent.created']);
  });

  for (const step of ['pix.after-intent', 'pix.after-acquirer'] as const) {
    test(`a crash at ${step} leaves one charge, whose QR code the next checkout answers`, async () => {
      const invoice = await newInvoice(scene.merchant);
      scene.failpoints.crashAt(step);
      await expect(scene.checkout(invoice.id)).rejects.toEqual(refusal('INTERNAL_ERROR', { status: 500 }));
      const answer = await scene.checkout(invoice.id);
      expect(await scene.qrsOf(invoice.id)).toMatchObject([
        { state: 'active', copy_paste: answer.payment_method?.pix?.pix_copy_paste },
      ]);
      expect(await scene.intentsOf(invoice.id)).toHaveLength(1);
      expect(await scene.events(invoice.id)).toEqual(['invoice.created', 'payment_intent.created']);
    });
  }
});

describe('an acquirer that never answers', () => {
  const ask = async (work: () => Promise<AcquirerAnswer<string>>) => {
    const scope = await readScope(scene.deps.pool, { accountId: scene.merchant.accountId, liveMode: false });
    return scene.deps.ask(scope, 'pix', work, { deadlineMs: 20 });
  };

  test('is not waited for beyond the deadline, and fails unheard afterwards', async () => {
    const late = Promise.withResolvers<AcquirerAnswer<string>>();
    expect(await ask(() => late.promise)).toEqual({ known: false, why: 'timeout' });
    late.reject(new Error('the connection broke'));
  });

  test('is told from one that does, and from one that fails', async () => {
    expect(await ask(async () => ({ known: true, value: 'expired' }))).toEqual({ known: true, value: 'expired' });
    const broken = () => Promise.reject(new Error('the connection broke'));
    expect(await ask(broken)).toEqual({ known: false, why: 'fault' });
  });
});

describe('an image', () => {
  test('that could not be drawn is drawn anew', async () => {
    const tooLong = 'x'.repeat(10_000);
    const first = qrImage(tooLong);
    await expect(first).rejects.toThrow();
    const second = qrImage(tooLong);
    expect(second).not.toBe(first);
    await expect(second).rejects.toThrow();
  });
});

describe('a checkout of an invoice that', () => {
  test('is voided while its QR code is stored answers the code, and the void keeps it', async () => {
    const invoice = await newInvoice(scene.merchant);
    const waiters = () =>
      scene.rows(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`);
    const untilWaiting = (count: number) => vi.waitFor(async () => expect(await waiters()).toHaveLength(count));
    const holder = await rolesOf(scene.deps.pool).superuser.connect();
    let voided: Promise<unknown> | undefined;
    let answer: Promise<Invoice>;
    try {
      await holder.query('BEGIN');
      scene.bank.meets('createPix', async () => {
        await holder.query('SELECT 1 FROM pix_charge WHERE invoice_id = $1 FOR UPDATE', [invoice.id]);
      });
      answer = scene.checkout(invoice.id);
      await untilWaiting(1);
      voided = scene.merchant.fatura.invoices.void(invoice.id);
      await untilWaiting(2);
      await holder.query('COMMIT');
    } finally {
      holder.release();
    }
    const { payment_method: method } = await answer;
    expect(await voided).toMatchObject({ status: 'void' });
    expect(await scene.qrsOf(invoice.id)).toMatchObject([{ state: 'ended', copy_paste: method?.pix?.pix_copy_paste }]);
  });

  test('is uncollectible and loses its customer while the QR code is made stores nothing of that customer', async () => {
    const invoice = await newInvoice(scene.merchant);
    await scene.merchant.fatura.invoices.markUncollectible(invoice.id);
    scene.failpoints.meanwhile('pix.after-intent', () => scene.merchant.fatura.customers.anonymize(invoice.customer));
    const answer = await scene.checkout(invoice.id, { idempotencyKey: 'erased' });
    expect(answer).toMatchObject({ customer_name: 'Anonimizado', customer_email: null });
    expect(await scene.checkout(invoice.id, { idempotencyKey: 'erased' })).toEqual(answer);
  });

  test('is paid already, while its QR code ended and the notice was lost, settles it and is refused', async () => {
    const invoice = await newInvoice(scene.merchant);
    const { payment_intent: intent } = await scene.checkout(invoice.id);
    await scene.payPixUnheard(intent ?? '');
    scene.api.clock.advance(DAY);
    await expect(scene.checkout(invoice.id)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED', { status: 409 }));
    expect(await scene.merchant.fatura.invoices.retrieve(invoice.id)).toMatchObject({
      status: 'paid',
      payment_intent: intent,
    });
    expect(await scene.events(invoice.id)).toEqual([
      'invoice.created',
      'payment_intent.created',
      'payment_intent.paid',
      'invoice.paid',
    ]);
  });

  test('awaits settlement is refused, before and after the end of the QR code', async () => {
    const invoice = await newInvoice(scene.merchant);
    const { payment_intent: intent } = await scene.checkout(invoice.id);
    await scene.payPix(intent ?? '', 'confirmed_not_settled');
    await expect(scene.checkout(invoice.id)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED', { status: 409 }));
    scene.api.clock.advance(DAY);
    await expect(scene.checkout(invoice.id)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED'));
    expect(await scene.intentsOf(invoice.id)).toHaveLength(1);
    await scene.payPix(intent ?? '', 'paid');
  });

  test('is voided while the QR code is made hands none out, and has it ended at the bank', async () => {
    const invoice = await newInvoice(scene.merchant);
    scene.failpoints.meanwhile('pix.after-intent', () => scene.merchant.fatura.invoices.void(invoice.id));
    await expect(scene.checkout(invoice.id)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS', { status: 409 }));
    const [made] = await scene.qrsOf(invoice.id);
    expect(await scene.cobStatus(String(made?.id))).toBe('ATIVA');
    expect(await scene.rows('SELECT kind FROM outbox WHERE key = $1', made?.id)).toEqual([{ kind: 'pix-expiry' }]);
    expect(await pixExpiryStep(scene.deps, String(made?.id))).toEqual({ done: true });
    expect(await scene.cobStatus(String(made?.id))).toBe('REMOVIDA_PELO_USUARIO_RECEBEDOR');
    expect(await scene.events(invoice.id)).toEqual([
      'invoice.created',
      'payment_intent.created',
      'payment_intent.discarded',
      'invoice.voided',
    ]);
  });

  test('has a QR code on its way out ends it at the bank first, then makes another', async () => {
    const invoice = await newInvoice(scene.merchant);
    const first = await scene.checkout(invoice.id);
    scene.failpoints.crashAt('ending.after-retiring');
    await expect(scene.merchant.fatura.invoices.void(invoice.id)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    scene.bank.meets('expirePix', 'unreachable');
    await expect(scene.checkout(invoice.id)).rejects.toEqual(refusal('ACQUIRER_UNAVAILABLE', { status: 503 }));
    scene.bank.recovers();
    const second = await scene.checkout(invoice.id);
    expect(second.payment_intent).not.toBe(first.payment_intent);
    const [former] = await scene.qrsOf(invoice.id);
    expect(former).toMatchObject({ state: 'ended' });
    expect(await scene.cobStatus(String(former?.id))).toBe('REMOVIDA_PELO_USUARIO_RECEBEDOR');
  });

  test('has a QR code on its way out that was paid settles it and is refused', async () => {
    const invoice = await newInvoice(scene.merchant);
    const { payment_intent: intent } = await scene.checkout(invoice.id);
    scene.failpoints.crashAt('ending.after-retiring');
    await expect(scene.merchant.fatura.invoices.void(invoice.id)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    await scene.payPixUnheard(intent ?? '');
    await expect(scene.checkout(invoice.id)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED'));
    expect(await scene.merchant.fatura.invoices.retrieve(invoice.id)).toMatchObject({ status: 'paid' });
  });
});
