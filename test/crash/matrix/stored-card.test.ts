import type { Subscription } from '@fatura/sdk';
import { byCard } from '../../support/cards.ts';
import { newCustomer } from '../../support/factories.ts';
import { newMonthly } from '../../support/subscriptions.ts';
import { type Books, openBooks, paidBooks, told } from '../books.ts';
import { type Answers, type Cell, type Death, keysOf, type Prepared, type Scene } from '../cell.ts';
import type { Variation } from '../seeds.ts';
import type { ServedMerchant } from '../stage.ts';
import { testCells } from './matrix.ts';

const places = {
  'card.after-attempt': { at: 'card.after-attempt' },
  'card.after-charge': { at: 'card.after-charge' },
  'card.after-outcome': { at: 'card.after-outcome' },
  'before the acquirer charges': { after: 'card.after-attempt', duringCall: 'chargeCard' },
} as const satisfies Record<string, Death>;
type Place = keyof typeof places;

type Send = (merchant: ServedMerchant, idempotencyKey: string) => Promise<Subscription>;

/** A request that charges a card which is stored already, or with it, and what it finds. */
interface Act {
  readonly begun: readonly string[];
  readonly prepare: (merchant: ServedMerchant, price: string) => Promise<Send>;
}

const CREATED = ['subscription.created'];
const ACTIVATED = ['subscription.activated', 'subscription.period_started'];
const TRIAL = { days: 14, requires_payment_method: false } as const;

async function tryOut(merchant: ServedMerchant, price: string, end_behavior: 'invoice' | 'pause'): Promise<string> {
  const customer_id = (await newCustomer(merchant)).id;
  const { id } = await merchant.fatura.subscriptions.create({
    customer_id,
    price_id: price,
    trial: { ...TRIAL, end_behavior },
  });
  return id;
}

const acts = {
  'the end of a trial': {
    begun: [...CREATED, 'subscription.trial_started', 'subscription.updated', ...ACTIVATED],
    prepare: async (merchant, price) => {
      const id = await tryOut(merchant, price, 'invoice');
      await merchant.fatura.subscriptions.checkout(id, byCard());
      return ({ fatura }, idempotencyKey) => fatura.subscriptions.endTrial(id, { idempotencyKey });
    },
  },
  'a resume by a card': {
    begun: [...CREATED, 'subscription.trial_started', 'subscription.paused', 'subscription.resumed', ...ACTIVATED],
    prepare: async (merchant, price) => {
      const id = await tryOut(merchant, price, 'pause');
      await merchant.fatura.subscriptions.endTrial(id);
      return ({ fatura }, idempotencyKey) => fatura.subscriptions.updatePaymentMethod(id, byCard(), { idempotencyKey });
    },
  },
  'a creation with a stored card': {
    begun: [...CREATED, ...ACTIVATED],
    prepare: async (merchant, price) => {
      const former = await tryOut(merchant, price, 'invoice');
      const { customer, default_payment_method: card } = await merchant.fatura.subscriptions.checkout(former, byCard());
      const asked = { customer_id: customer, price_id: price, default_payment_method: card ?? '' };
      return ({ fatura }, idempotencyKey) => fatura.subscriptions.create(asked, { idempotencyKey });
    },
  },
} as const satisfies Record<string, Act>;
type ActName = keyof typeof acts;

interface Case {
  readonly place: Place;
  readonly act: ActName;
}

/** The charge never came to the acquirer: it is known to be none, and is tried again by the schedule of renewals. */
const isNeverSent = ({ place }: Case): boolean =>
  place === 'card.after-attempt' || place === 'before the acquirer charges';

/** The subscription is active whatever the charge comes to, and the answer stands with it. */
const answers: Answers = { isHeld: false, repeat: 'active', looked: 'active', final: 'active' };

function booksOf(one: Case, amount: number): Books {
  const events = [...acts[one.act].begun, ...told.created, ...told.cardSent];
  if (isNeverSent(one))
    return openBooks({ intents: ['card failed'], attempts: ['never_charged'], events: [...events, ...told.declined] });
  return paidBooks(amount, {
    intents: ['card paid'],
    attempts: ['approved'],
    charges: [`approved ${amount}`],
    events: [...events, ...told.paid],
  });
}

/** The invoice is made by the request, and known once that was answered. */
async function prepare({ merchant }: Scene, { act }: Case, amount: number): Promise<Prepared> {
  const { id: price } = await newMonthly(merchant, { unit_amount: amount });
  const send = await acts[act].prepare(merchant, price);
  let invoiceId = '';
  return {
    get invoiceId() {
      return invoiceId;
    },
    request: async (at, key) => {
      const subscription = await send(at, key);
      invoiceId = subscription.latest_invoice ?? '';
      return subscription;
    },
    rivals: [],
  };
}

const cases: Case[] = keysOf(places).flatMap((place) => keysOf(acts).map((act) => ({ place, act })));

const cellOf = (one: Case, { amount }: Variation): Cell => ({
  name: `${one.place}, ${one.act}`,
  death: places[one.place],
  mode: {},
  prepare: (scene) => prepare(scene, one, amount),
  answers,
  books: booksOf(one, amount),
});

testCells([
  {
    rule: 'an API killed while it charges a stored card for a first cycle charges once or not at all',
    cells: (variation) => cases.map((one) => cellOf(one, variation)),
  },
]);
