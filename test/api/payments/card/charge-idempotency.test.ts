import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { places } from '../../../../server/sealing/sealed-columns.ts';
import { CVC, cards, payByCard } from '../../../support/cards.ts';
import { newInvoice } from '../../../support/factories.ts';
import { type AnotherProcess, startAnother } from '../../another-process.ts';
import { CREATED, DECLINED, PAID, PaymentScene, refusal, SENT } from '../payment-scene.ts';

const scene = new PaymentScene();

const APPROVAL = { status: 201, code: null, isReplayed: true };

describe('a card checkout under an Idempotency-Key', () => {
  test('that was approved is answered alike, and charges once', async () => {
    const invoice = await scene.newInvoice();
    const first = await scene.sendByCard(invoice, { key: 'approved' });
    expect(first).toMatchObject({ status: 201, isReplayed: false, body: { status: 'paid' } });
    expect(await scene.sendByCard(invoice, { key: 'approved' })).toEqual({ ...first, isReplayed: true });
    expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...PAID]);
  });

  test('that was declined is declined alike, and charges once', async () => {
    const invoice = await scene.newInvoice();
    const sale = { key: 'declined', number: cards.insufficient_funds };
    const first = await scene.sendByCard(invoice, sale);
    expect(first).toMatchObject({ status: 402, isReplayed: false });
    const repeated = await scene.sendByCard(invoice, sale);
    expect(repeated).toMatchObject({ status: 402, code: 'CARD_DECLINED', isReplayed: true });
    // Each answer has the id of its own request.
    const shown = ({ body }: { body: unknown }) => ({ ...Object(Object(body).error), request_id: null });
    expect(shown(repeated)).toEqual(shown(first));
    expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...DECLINED]);
  });

  test('that was declined is declined alike after another key has paid', async () => {
    const invoice = await scene.newInvoice();
    const sale = { key: 'declined before', number: cards.issuer_declined };
    await scene.sendByCard(invoice, sale);
    await scene.payByCard(invoice);
    expect(await scene.sendByCard(invoice, sale)).toMatchObject({ status: 402, isReplayed: true });
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid' });
  });

  test('that was approved is answered as it was then, whatever became of the invoice', async () => {
    const invoice = await scene.newInvoice();
    const first = await scene.sendByCard(invoice, { key: 'refunded later' });
    const { payment_intent: intent } = await scene.invoice(invoice);
    await scene.merchant.fatura.refunds.create({ payment_intent: intent ?? '', amount: 990 });
    expect(await scene.sendByCard(invoice, { key: 'refunded later' })).toEqual({ ...first, isReplayed: true });
  });

  test('refuses another card, other installments and the other method, and the first answer stands', async () => {
    const invoice = await scene.newInvoice();
    const first = await payByCard(scene.merchant, invoice, { key: 'reused' });
    const reused = refusal('IDEMPOTENCY_KEY_REUSED', { status: 422 });
    const { mastercard } = cards;
    await expect(payByCard(scene.merchant, invoice, { key: 'reused', number: mastercard })).rejects.toEqual(reused);
    await expect(payByCard(scene.merchant, invoice, { key: 'reused', installments: 1 })).rejects.toEqual(reused);
    const byPix = { payment_method_type: 'pix' } as const;
    const options = { idempotencyKey: 'reused' };
    await expect(scene.merchant.fatura.invoices.checkout(invoice, byPix, options)).rejects.toEqual(reused);
    expect(await payByCard(scene.merchant, invoice, { key: 'reused' })).toEqual(first);
    expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
  });

  test('that was refused frees the key', async () => {
    const { id } = await newInvoice(scene.merchant, { draft: true });
    expect(await scene.sendByCard(id, { key: 'freed' })).toMatchObject({ status: 409, code: 'INVOICE_NOT_OPEN' });
    await scene.merchant.fatura.invoices.finalize(id);
    scene.bank.meets('tokenizeCard', 'unreachable');
    expect(await scene.sendByCard(id, { key: 'freed' })).toMatchObject({ status: 503, code: 'ACQUIRER_UNAVAILABLE' });
    scene.bank.recovers();
    expect(await scene.sendByCard(id, { key: 'freed' })).toMatchObject({ status: 201, isReplayed: false });
  });

  test('whose PIX was found paid is refused, and the settlement is not taken for its answer', async () => {
    const { invoice, intent } = await scene.openPix();
    await scene.payPixUnheard(intent);
    const first = await scene.sendByCard(invoice, { key: 'pix' });
    expect(first).toMatchObject({ status: 409, code: 'PIX_PAYMENT_CONFIRMED' });
    const second = await scene.sendByCard(invoice, { key: 'pix' });
    expect(second).toMatchObject({ status: 409, code: 'INVOICE_NOT_OPEN', isReplayed: false });
  });

  test('of unknown outcome answers 504 until it is known, then the outcome', async () => {
    const invoice = await scene.newInvoice();
    const sale = { key: 'unknown', number: cards.answer_lost };
    expect(await scene.sendByCard(invoice, sale)).toMatchObject({ status: 504, code: 'ACQUIRER_TIMEOUT' });
    scene.bank.recovers();
    expect(await scene.sendByCard(invoice, sale)).toMatchObject({ status: 504, code: 'ACQUIRER_TIMEOUT' });
    const { payment_intent: intent } = await scene.invoice(invoice);
    await scene.reconcile(intent ?? '');
    const known = await scene.sendByCard(invoice, sale);
    expect(known).toMatchObject({ ...APPROVAL, body: { status: 'paid', payment_intent: intent } });
    expect(await scene.sendByCard(invoice, sale)).toEqual(known);
    expect(scene.bank.calls).toEqual(['findCharge']);
  });

  test('stores nothing of the card but what its answer shows', async () => {
    const invoice = await scene.newInvoice();
    await scene.sendByCard(invoice, { key: 'stored' });
    const { rows } = await scene.deps.pool.query<{ hash: Buffer; account: string; answer: Buffer; clear: string }>(
      `SELECT hash, account_id AS account, answer, encode(hash, 'escape') || encode(fingerprint, 'escape') || coalesce(attempt_id, '') AS clear
       FROM idempotency_key WHERE status IS NOT NULL`,
    );
    const read = rows
      .map(
        ({ hash, account, answer, clear }) =>
          `${scene.deps.secretBox.open(answer, places.answer(account, hash))} ${clear}`,
      )
      .join('\n');
    expect(read).toContain('"last4":"4242"');
    for (const secret of [cards.approved, cards.approved.replaceAll(' ', ''), `"${CVC}"`, 'MARIA DA SILVA'])
      expect(read).not.toContain(secret);
  });
});

describe('the same card checkout in two processes', () => {
  let other: AnotherProcess;
  beforeAll(async () => {
    other = await startAnother(scene.api);
  });
  afterAll(() => other.stop());

  const IN_USE = { status: 409, code: 'IDEMPOTENCY_KEY_IN_USE', isReplayed: false };

  test('is told to repeat while the first is at the acquirer, in this process and in the other', async () => {
    const invoice = await scene.newInvoice();
    const [started, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    scene.bank.meets('chargeCard', async () => {
      started.resolve();
      await goOn.promise;
    });
    const first = scene.sendByCard(invoice, { key: 'in use' });
    await started.promise;
    expect(await scene.sendByCard(invoice, { key: 'in use' })).toMatchObject(IN_USE);
    expect(await scene.sendByCard(invoice, { key: 'in use', at: other })).toMatchObject(IN_USE);
    goOn.resolve();
    const { body } = await first;
    expect(await scene.sendByCard(invoice, { key: 'in use', at: other })).toEqual({ ...APPROVAL, body });
    expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
  });

  /** The request comes to the other process, and is answered there, while this one takes the card in. */
  async function overtaken(number: string) {
    const invoice = await scene.newInvoice();
    const sale = { key: `overtaken ${number}`, number };
    let first = null;
    scene.failpoints.meanwhile('card.after-tokenize', async () => {
      first = await scene.sendByCard(invoice, { ...sale, at: other });
    });
    const second = await scene.sendByCard(invoice, sale);
    return { invoice, first, second, repeated: () => scene.sendByCard(invoice, sale) };
  }

  test('that was approved in the one is answered alike in the other', async () => {
    const { invoice, first, second } = await overtaken(cards.approved);
    expect(first).toMatchObject({ status: 201, isReplayed: false });
    expect(second).toEqual({ ...Object(first), isReplayed: true });
    expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
  });

  test('that was declined in the one is not charged again in the other', async () => {
    const { invoice, first, second, repeated } = await overtaken(cards.insufficient_funds);
    expect(first).toMatchObject({ status: 402, isReplayed: false });
    expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
    expect(second).toMatchObject(IN_USE);
    expect(await repeated()).toMatchObject({ status: 402, isReplayed: true });
  });

  test('that is of unknown outcome in the one is told to repeat in the other', async () => {
    const { invoice, first, second, repeated } = await overtaken(cards.answer_lost);
    expect(first).toMatchObject({ status: 504 });
    expect(second).toMatchObject(IN_USE);
    expect(await repeated()).toMatchObject({ status: 504 });
    const { payment_intent: intent } = await scene.invoice(invoice);
    expect(await scene.reconcile(intent ?? '')).toEqual({ done: true });
    expect(await repeated()).toMatchObject(APPROVAL);
    expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
  });

  test('is charged once, however many come at once', async () => {
    for (const [round, number] of [cards.approved, cards.insufficient_funds].entries()) {
      const invoice = await scene.newInvoice();
      const sale = { key: `crowd ${round}`, number };
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => scene.sendByCard(invoice, n % 2 === 0 ? sale : { ...sale, at: other })),
      );
      const status = number === cards.approved ? 201 : 402;
      expect(answers.filter((answer) => answer.status === status && !answer.isReplayed)).toHaveLength(1);
      for (const answer of answers) if (answer.status !== status) expect(answer).toMatchObject(IN_USE);
      expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
    }
  });
});
