import type { CheckoutSession } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { cards } from '../../support/cards.ts';
import { remindOf } from '../../support/mails.ts';
import { payByPix, subscribe } from '../../support/subscriptions.ts';
import { refusal } from '../payments/payment-scene.ts';
import { buyer, PageScene, pathOf } from './page-scene.ts';
import { DECISION } from './session-scene.ts';

/** Nothing runs here: what a read says at a deadline is told by comparison, or not at all. */
const scene = new PageScene();
const DAY = 86_400;

/** Something with a deadline, and what is read of it. */
interface Subject {
  readonly deadline: number;
  readonly read: () => Promise<unknown>;
}

/** What a session reads as, wherever it is shown. */
async function readSession({ id, url }: CheckoutSession) {
  const listed = async (status: 'open' | 'complete' | 'expired') => {
    const found = await scene.merchant.fatura.checkoutSessions.list({ status }).all({ max: 100 });
    expect(found.filter((one) => one.status !== status)).toEqual([]);
    return found.some((one) => one.id === id);
  };
  const all = await scene.merchant.fatura.checkoutSessions.list().all({ max: 100 });
  const state = await (await fetch(`${scene.api.baseUrl}${pathOf({ url: url ?? '' })}/state`)).json();
  return {
    retrieved: (await scene.session(id)).status,
    inList: all.find((one) => one.id === id)?.status,
    in: [await listed('open'), await listed('complete'), await listed('expired')],
    onPage: state.purchase.standing,
  };
}

const statusOf = async (path: string): Promise<number> => (await fetch(scene.api.baseUrl + path)).status;
const pathIn = (link: string): string => new URL(link).pathname;
const now = (): number => scene.api.clock.now();

const openSession = (onPage: string) => ({ retrieved: 'open', inList: 'open', in: [true, false, false], onPage });
const expiredSession = { retrieved: 'expired', inList: 'expired', in: [false, false, true], onPage: 'expired' };

const paidSession = { retrieved: 'complete', inList: 'complete', in: [false, true, false], onPage: 'paid' };

async function aSession(overrides: Parameters<typeof scene.create>[0] = {}): Promise<CheckoutSession & Subject> {
  const session = await scene.create(overrides);
  return { ...session, deadline: session.expires_at, read: () => readSession(session) };
}

/** What is read a second before, at, and a second after the deadline. */
const table: readonly (readonly [
  what: string,
  make: () => Promise<Subject>,
  read: readonly [unknown, unknown, unknown],
])[] = [
  [
    'a session without a buyer',
    () => aSession({ customer_id: null }),
    [openSession('buyer'), expiredSession, expiredSession],
  ],
  ['a session with an invoice', () => aSession(), [openSession('payable'), expiredSession, expiredSession]],
  [
    'a session whose card was declined',
    async () => {
      const session = await aSession();
      await scene.chargeCard(session.invoice ?? '', { number: cards.issuer_declined });
      return session;
    },
    [openSession('payable'), expiredSession, expiredSession],
  ],
  [
    'a session of a subscription',
    () => aSession({ mode: 'subscription' }),
    [openSession('payable'), expiredSession, expiredSession],
  ],
  [
    'a session whose QR code stands, of which the bank is asked',
    async () => {
      const session = await aSession();
      await scene.checkoutByPix(session.invoice ?? '');
      return session;
    },
    [openSession('payable'), openSession('expired'), openSession('expired')],
  ],
  [
    'a session whose PIX is confirmed and not settled',
    async () => {
      const session = await aSession();
      const { intent } = await scene.checkoutByPix(session.invoice ?? '');
      await scene.payPix(intent, 'confirmed_not_settled');
      return session;
    },
    [openSession('confirmed'), openSession('confirmed'), openSession('confirmed')],
  ],
  [
    'a session whose charge nobody knows the outcome of',
    async () => {
      const session = await aSession();
      await scene.chargeCard(session.invoice ?? '', { number: cards.answer_lost });
      return session;
    },
    [openSession('unknown'), openSession('unknown'), openSession('unknown')],
  ],
  [
    'a session that was paid',
    async () => {
      const session = await aSession();
      await scene.payByCard(session.invoice ?? '');
      return session;
    },
    [paidSession, paidSession, paidSession],
  ],
  [
    'a QR code on its page',
    async () => {
      const { invoice } = await scene.openPix();
      const path = pathIn(scene.deps.links.payment({ id: invoice, liveMode: false }));
      const read = async () => (await (await fetch(`${scene.api.baseUrl}${path}/state`)).json()).purchase.qr !== null;
      return { deadline: now() + DAY, read };
    },
    [true, false, false],
  ],
  [
    'the page of a paid invoice',
    async () => {
      const invoice = await scene.newInvoice();
      await scene.payByCard(invoice);
      return {
        deadline: now() + 30 * DAY + 1,
        read: () => statusOf(pathIn(scene.deps.links.payment({ id: invoice, liveMode: false }))),
      };
    },
    [200, 410, 410],
  ],
  [
    'the link that asks to confirm an address',
    async () => {
      const session = await scene.create({ customer_id: null });
      await scene.send(`${pathOf(session)}/buyer`, { body: buyer });
      const { invoice, customer } = await scene.session(session.id);
      await remindOf(scene.api, scene.merchant, { id: invoice ?? '', step: 0 });
      const path = pathIn(scene.deps.links.confirmation({ id: customer ?? '', liveMode: false }));
      return { deadline: now() + 7 * DAY, read: () => statusOf(path) };
    },
    [200, 410, 410],
  ],
  [
    'a subscription that was never paid, which may be until it is ended',
    async () => {
      const { id } = await subscribe(scene.merchant);
      return {
        deadline: now() + 7 * DAY,
        read: async () => (await scene.merchant.fatura.subscriptions.retrieve(id)).status,
      };
    },
    ['pending', 'pending', 'pending'],
  ],
];

test.each(table)('%s is read at its deadline as it stands then', async (_, make, [before, at, after]) => {
  const { deadline, read } = await make();
  scene.api.clock.advance(deadline - 1 - now());
  expect(await read(), 'before').toEqual(before);
  scene.api.clock.advance(1);
  expect(await read(), 'at').toEqual(at);
  scene.api.clock.advance(1);
  expect(await read(), 'after').toEqual(after);
});

test('a subscription that reads as pending behind its deadline is paid by its buyer', async () => {
  const { id, latest_invoice: invoice } = await subscribe(scene.merchant);
  scene.api.clock.advance(7 * DAY + 1);
  await payByPix(scene.merchant, invoice ?? '');
  expect(await scene.merchant.fatura.subscriptions.retrieve(id)).toMatchObject({ status: 'active' });
});

test('what can be refunded to the last second of its window is refused behind it', async () => {
  const { intent } = await scene.openPix();
  await scene.payPix(intent);
  const [paidAt, refund] = [now(), () => scene.merchant.fatura.refunds.create({ payment_intent: intent, amount: 10 })];
  scene.api.clock.advance(paidAt + 90 * DAY - now());
  await refund();
  scene.api.clock.advance(1);
  await expect(refund()).rejects.toEqual(refusal('REFUND_WINDOW_CLOSED'));
});

describe('the events of an expiry', () => {
  const lastFacts = async (session: CheckoutSession) => {
    const { invoice, subscription } = await scene.session(session.id);
    const ids = [session.id, invoice, subscription].filter((known) => known != null);
    const rows = await scene.rows('SELECT type, created, body FROM event WHERE related && $1::text[] ORDER BY id', ids);
    const ends = ['invoice.voided', 'subscription.canceled', 'checkout_session.expired'];
    return rows
      .filter(({ type }) => ends.includes(String(type)))
      .map(({ type, created, body }) => [type, created, JSON.parse(String(body)).created]);
  };

  test('are of the deadline, however late it is written', async () => {
    const session = await scene.create({ mode: 'subscription' });
    await scene.pass(session, 51);
    expect(await scene.decide(session.id)).toBe('expired');
    const { expires_at: at } = session;
    expect(await lastFacts(session)).toEqual([
      ['invoice.voided', at, at],
      ['subscription.canceled', at, at],
      ['checkout_session.expired', at, at],
    ]);
    expect((await scene.invoice(session.invoice ?? '')).status_transitions).toMatchObject({ voided_at: at });
  });

  test('are of the deadline where it is closed by hand behind it, and of that instant before it', async () => {
    const [late, early] = [await scene.create(), await scene.create()];
    await scene.merchant.fatura.checkoutSessions.expire(early.id);
    expect((await lastFacts(early)).map(([, created]) => created)).toEqual([now(), now()]);
    await scene.pass(late, 30);
    await scene.merchant.fatura.checkoutSessions.expire(late.id);
    expect((await lastFacts(late)).map(([, created]) => created)).toEqual([late.expires_at, late.expires_at]);
  });

  test('are of the deadline where the bank was asked first', async () => {
    const session = await scene.create();
    await scene.checkoutByPix(session.invoice ?? '');
    await scene.pass(session);
    expect(await scene.decide(session.id)).toBe('postponed');
    await scene.pass(session, DECISION);
    expect(await scene.decide(session.id)).toBe('expired');
    expect((await lastFacts(session)).map(([, created]) => created)).toEqual([session.expires_at, session.expires_at]);
  });

  test('are never before what the invoice told last', async () => {
    const session = await scene.create();
    scene.bank.meets('chargeCard', () => scene.pass(session, 10));
    await scene.chargeCard(session.invoice ?? '', { number: cards.issuer_declined });
    expect(await readSession(session)).toEqual(expiredSession);
    await scene.pass(session, 40);
    expect(await scene.decide(session.id)).toBe('expired');
    const told = session.expires_at + 10;
    expect((await lastFacts(session)).map(([, created]) => created)).toEqual([told, told]);
  });
});
