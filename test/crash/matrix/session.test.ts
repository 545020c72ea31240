import type { CheckoutSession } from '@fatura/sdk';
import { expect } from 'vitest';
import { newCustomer } from '../../support/factories.ts';
import { type Books, paidBooks, told } from '../books.ts';
import type { Answers, Cell, Death, Prepared, Scene } from '../cell.ts';
import type { Variation } from '../seeds.ts';
import {
  askPage,
  type Buyer,
  buyers,
  filledIn,
  type Mode,
  openSession,
  rowsOf,
  sendForm,
  sessionBody,
  somebody,
} from '../sessions.ts';
import { testCells } from './matrix.ts';

const places = ['session.before-commit', 'session.after-commit'] as const;
type Place = (typeof places)[number];
const modes = ['payment', 'subscription'] as const satisfies Mode[];

interface Case {
  readonly place: Place;
  readonly mode: Mode;
  readonly buyer: Buyer;
  readonly isFree: boolean;
}

const cases: Case[] = places.flatMap((place) =>
  modes.flatMap((mode) => buyers.flatMap((buyer) => [false, true].map((isFree) => ({ place, mode, buyer, isFree })))),
);

const nameOf = ({ place, mode, buyer, isFree }: Case): string =>
  `${place}, ${mode} of ${buyer}${isFree ? ', at no price' : ''}`;

const deathOf = ({ place }: Case): Death => ({ at: place });

/** What the payment of a session's invoice brings, or its coming to nothing. */
const closed = ({ mode }: Case): string[] => [
  ...(mode === 'subscription' ? ['subscription.activated', 'subscription.period_started'] : []),
  ...told.completed,
];

/** The session was filled once, and nothing is in the way of its payment. */
function booksOf(one: Case, { amount, begun }: { amount: number; begun: readonly string[] }): Books {
  const { mode, isFree } = one;
  const sessions = [`${mode} complete`];
  if (isFree) return paidBooks(0, { sessions, events: [...begun, 'invoice.paid', ...closed(one)] });
  return paidBooks(amount, {
    sessions,
    intents: ['pix paid'],
    receipts: [amount],
    events: [...begun, ...told.qrMade, ...told.paid, ...closed(one)],
  });
}

const madeFirst = ({ mode }: Case): string[] => [
  ...(mode === 'subscription' ? ['subscription.created'] : []),
  ...told.created,
];

const answersOf = (answer: string): Answers => ({ isHeld: false, repeat: answer, looked: answer, final: answer });

/** One of each, and what the session sells can be paid. */
async function sellOut(scene: Scene, { mode, isFree }: Case): Promise<void> {
  expect(await rowsOf(scene)).toEqual({
    sessions: 1,
    filled: 1,
    invoices: 1,
    customers: 1,
    subscriptions: mode === 'subscription' ? 1 : 0,
  });
  if (isFree) return;
  const { fatura } = scene.merchant;
  const [session] = (await fatura.checkoutSessions.list().page()).data;
  const { payment_intent } = await fatura.invoices.checkout(session?.invoice ?? '', { payment_method_type: 'pix' });
  await fatura.testHelpers.paymentIntents.payPix(payment_intent ?? '', { scenario: 'paid' });
}

/** Knows the invoice as soon as somebody was told of the session. */
class Sale {
  invoiceId = '';

  take<T extends Pick<CheckoutSession, 'invoice'>>(session: T): T {
    this.invoiceId = session.invoice ?? '';
    return session;
  }

  /** What a cell is prepared with; its invoice may not be there yet. */
  prepared(rest: Omit<Prepared, 'invoiceId'>): Prepared {
    const sale = this;
    return {
      ...rest,
      get invoiceId() {
        return sale.invoiceId;
      },
    };
  }
}

const creationCell = (one: Case, { amount }: Variation): Cell => ({
  name: nameOf(one),
  death: deathOf(one),
  mode: {},
  prepare: async ({ merchant }) => {
    const sale = new Sale();
    const body = await sessionBody(merchant, { ...one, amount });
    return sale.prepared({
      request: async ({ fatura }, idempotencyKey) =>
        sale.take(await fatura.checkoutSessions.create(body, { idempotencyKey })),
      rivals: [],
    });
  },
  meanwhile: async (scene) => {
    const { sessions, ...made } = await rowsOf(scene);
    expect(made).toMatchObject({ filled: sessions, invoices: sessions });
  },
  finish: (scene) => sellOut(scene, one),
  answers: answersOf(one.isFree ? 'complete' : 'open'),
  books: booksOf(one, { amount, begun: [...madeFirst(one), ...told.session] }),
});

const forms = ['the script', 'the form'] as const;

type Attaching = Case & { readonly by: (typeof forms)[number] };

const attachings: Attaching[] = cases.flatMap((one) => forms.map((by) => ({ ...one, by })));

/** The form asks for the same as the script: it has other answers, which what is sold does not change. */
const attachingDiffers = ({ by, mode, buyer }: Attaching): boolean =>
  by === 'the script' || (mode === 'payment' && buyer === 'somebody new');

/** A browser is led on to the page by the form, and by each repeat; a session that is complete takes nobody any more. */
function attachingAnswers({ place, by, isFree }: Attaching): Answers {
  const isForm = by === 'the form';
  // Whoever is known is shown the code at once.
  const taken = isFree ? 'paid' : 'qr';
  const first = isForm ? '303' : taken;
  const refused = isForm ? '409' : 'SESSION_NOT_OPEN';
  const again = isFree ? refused : first;
  return { ...answersOf(again), repeat: place === 'session.before-commit' ? first : again };
}

const attachingCell = (one: Attaching, { amount }: Variation): Cell => ({
  name: `${nameOf(one)}, sent by ${one.by}`,
  death: deathOf(one),
  mode: {},
  prepare: async (scene) => {
    const { merchant } = scene;
    const sale = new Sale();
    if (one.buyer === 'a customer') await newCustomer(merchant, somebody);
    const session = await openSession(scene, { ...one, amount, buyer: null });
    const fill: Prepared['request'] = async (at) => {
      const answer =
        one.by === 'the form'
          ? await sendForm(at, session, filledIn)
          : await askPage(at, session, { action: 'buyer', body: filledIn });
      sale.take(await merchant.fatura.checkoutSessions.retrieve(session.id));
      return answer;
    };
    const rival: Prepared['request'] = (at) =>
      askPage(at, session, { action: 'buyer', body: { ...filledIn, email: 'outra@loja.test' } });
    return sale.prepared({ request: fill, rivals: [rival] });
  },
  meanwhile: async (scene) => {
    const { filled, invoices } = await rowsOf(scene);
    expect(invoices).toBe(filled);
  },
  finish: (scene) => sellOut(scene, one),
  answers: attachingAnswers(one),
  books: booksOf(one, { amount, begun: [...told.session, ...madeFirst(one), ...told.attached] }),
});

testCells([
  {
    rule: 'an API killed while it creates a session with a customer has made one or none, and the repeat is told of the one',
    cells: (variation) => cases.map((one) => creationCell(one, variation)),
  },
  {
    rule: 'an API killed while a buyer becomes known to a session takes that buyer once',
    cells: (variation) => attachings.filter(attachingDiffers).map((one) => attachingCell(one, variation)),
  },
]);
