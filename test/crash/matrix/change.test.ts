import { setTimeout as sleep } from 'node:timers/promises';
import { byCard } from '../../support/cards.ts';
import { newMonthly, subscribe } from '../../support/subscriptions.ts';
import { type Books, openBooks, paidBooks, told } from '../books.ts';
import { type Answers, type Cell, type Death, keysOf, type Prepared } from '../cell.ts';
import type { Variation } from '../seeds.ts';
import type { BankMode } from '../stage.ts';
import { testCells } from './matrix.ts';

const charges = { ok: {}, decline: { chargeCard: { decline: 1 } } } as const satisfies Record<string, BankMode>;
type Charge = keyof typeof charges;

const places = {
  'card.after-attempt': { at: 'card.after-attempt' },
  'card.after-charge': { at: 'card.after-charge' },
  'card.after-outcome': { at: 'card.after-outcome' },
  'before the acquirer charges': { after: 'card.after-attempt', duringCall: 'chargeCard' },
  'reconciliation.after-asking': { at: 'reconciliation.after-asking' },
} as const satisfies Record<string, Death>;
type Place = keyof typeof places;

interface Case {
  readonly place: Place;
  readonly charge: Charge;
}

/** Whether the process dies before the acquirer has the charge, so that it never gets it. */
const isNeverSent = (place: Place): boolean =>
  place === 'card.after-attempt' || place === 'before the acquirer charges';

/** The case that asks is the one that dies, after a charge whose answer was lost. */
const isAsked = (place: Place): boolean => place === 'reconciliation.after-asking';

/** The acquirer never gets to what it would have done; an answer that was lost is of a charge that it made. */
const differs = ({ place, charge }: Case): boolean => charge === 'ok' || !(isNeverSent(place) || isAsked(place));

type Truth = 'approved' | 'declined' | 'never_charged';

const truthOf = ({ place, charge }: Case): Truth => {
  if (isNeverSent(place)) return 'never_charged';
  return charge === 'decline' ? 'declined' : 'approved';
};

/** Until its outcome is booked the change waits, and a repeat is answered so for good. */
function answersOf(one: Case): Answers {
  const isBooked = one.place === 'card.after-outcome';
  const answer = isBooked && truthOf(one) === 'approved' ? 'applied' : 'awaiting_payment';
  return { isHeld: !isBooked && !isAsked(one.place), repeat: answer, looked: answer, final: answer };
}

const REMEMBERED_MS = 1_500;

/** What the subscription costs before the change. */
const FORMER = 5_000;

/** The terms hold where the charge was made, and nowhere else. */
function booksOf(one: Case, amount: number): Books {
  const truth = truthOf(one);
  const begun = ['subscription.created', 'subscription.activated', 'subscription.period_started'];
  const sent = [...begun, ...told.created, 'subscription.updated', ...told.cardSent];
  const former = `approved ${FORMER}`;
  const made = { attempts: [truth], charges: truth === 'never_charged' ? [former] : [former, `${truth} ${amount}`] };
  if (truth !== 'approved')
    return openBooks({ ...made, intents: ['card failed'], events: [...sent, ...told.declined] });
  return paidBooks(amount, {
    ...made,
    intents: ['card paid'],
    events: [...sent, ...told.paid, 'subscription.changed'],
  });
}

const cellOf = (one: Case, { amount, card }: Variation): Cell => ({
  name: `${one.place}, charge ${one.charge}`,
  death: places[one.place],
  mode: isAsked(one.place) ? { chargeCard: { answer_lost: 1 } } : charges[one.charge],
  prepare: async ({ merchant, stage, shop, key }) => {
    const made = await subscribe(merchant, { amount: FORMER });
    const { id, item } = await merchant.fatura.subscriptions.checkout(made.id, byCard(card));
    const fresh = await newMonthly(merchant, { unit_amount: FORMER + amount });
    const items = [{ item: item.id, price_id: fresh.id }];
    let invoiceId = '';
    const request: Prepared['request'] = async ({ fatura }, idempotencyKey) => {
      const asked = { items, effective: 'now', proration: 'invoice_now' } as const;
      const change = await fatura.subscriptionChanges.create(id, asked, { idempotencyKey });
      invoiceId = change.invoice ?? '';
      return change;
    };
    const prepared = {
      request,
      rivals: [],
      get invoiceId() {
        return invoiceId;
      },
    };
    if (!isAsked(one.place)) return prepared;
    await stage.behave(shop, { chargeCard: { answer_lost: 1 } });
    // The process that charged the card remembers for a second how the bank behaved then.
    await sleep(REMEMBERED_MS);
    await request(merchant, key);
    const [intent] = (await merchant.fatura.paymentIntents.list().page()).data;
    return Object.assign(prepared, {
      strike: (process: Parameters<NonNullable<Prepared['strike']>>[0]) =>
        process.step('charge-reconciliation', intent?.id ?? ''),
    });
  },
  answers: answersOf(one),
  books: booksOf(one, amount),
});

const cases: Case[] = keysOf(places).flatMap((place) => keysOf(charges).map((charge) => ({ place, charge })));

testCells([
  {
    rule: 'an API killed while it charges for a change lets its terms hold once they are paid for, and else not',
    cells: (variation) => cases.filter(differs).map((one) => cellOf(one, variation)),
  },
]);
