import { FaturaError } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { byCard, cards } from '../../support/cards.ts';
import { DECLINED, PAID, SENT } from '../payments/payment-scene.ts';
import { ACTIVATED, RESUMED, type Standing, type Subject, SubscriptionScene, standings } from './subscription-scene.ts';

const scene = new SubscriptionScene();
const pix = { payment_method_type: 'pix' } as const;

/** Everything that can be done to a subscription from outside. */
const actions = {
  'a checkout by card': ({ id }: Subject) => scene.subscriptions.checkout(id, byCard()),
  'a checkout by a card that is declined': ({ id }: Subject) =>
    scene.subscriptions.checkout(id, byCard(cards.insufficient_funds)),
  'a checkout by PIX': ({ id }: Subject) => scene.subscriptions.checkout(id, pix),
  'a checkout of its invoice by card': ({ invoice }: Subject) => scene.fatura.invoices.checkout(invoice, byCard()),
  'a checkout of its invoice by a card that is declined': ({ invoice }: Subject) =>
    scene.fatura.invoices.checkout(invoice, byCard(cards.insufficient_funds)),
  'a PIX of its invoice that is paid': async ({ invoice }: Subject) => {
    const { intent } = await scene.checkoutByPix(invoice);
    return scene.payPix(intent);
  },
  'another card': ({ id }: Subject) => scene.subscriptions.updatePaymentMethod(id, byCard()),
  'another card that is declined': ({ id }: Subject) =>
    scene.subscriptions.updatePaymentMethod(id, byCard(cards.suspected_fraud)),
  DELETE: ({ id }: Subject) => scene.subscriptions.cancel(id),
  reactivate: ({ id }: Subject) => scene.subscriptions.reactivate(id),
  PATCH: ({ id }: Subject) => scene.subscriptions.update(id, { quantity: 2 }),
  'void of its invoice': ({ invoice }: Subject) => scene.fatura.invoices.void(invoice),
  'mark_uncollectible of its invoice': ({ invoice }: Subject) => scene.fatura.invoices.markUncollectible(invoice),
  'finalize of its invoice': ({ invoice }: Subject) => scene.fatura.invoices.finalize(invoice),
  'PATCH of its invoice': ({ invoice }: Subject) => scene.fatura.invoices.update(invoice, { description: 'x' }),
  'anonymize of its customer': ({ customer }: Subject) => scene.fatura.customers.anonymize(customer),
} satisfies Record<string, (subject: Subject) => Promise<unknown>>;

type Action = keyof typeof actions;

/** Where an action leads and what is told of it; a code refuses it, and tells nothing unless it says so. */
interface Outcome {
  readonly to: 'pending' | 'active' | 'suspended' | 'inactive';
  readonly refused?: string;
  readonly told?: readonly string[];
}

const stays = (to: Outcome['to'], told: readonly string[] = []): Outcome => ({ to, told });
const refuses = (to: Outcome['to'], refused = 'INVALID_STATE', told: readonly string[] = []): Outcome => ({
  to,
  refused,
  told,
});

const UPDATED = ['subscription.updated'];
const FAILED = [...SENT, ...DECLINED];
/** The charge of a renewal was declined: whatever comes next takes over from it. */
const DISCARDED = ['payment_intent.discarded'];

/** How one that waits for its payment behaves, whatever it waited through; `former`: what its declined charge has told of first. */
const waiting = (at: 'pending' | 'suspended', activation: readonly string[], former: readonly string[]) =>
  ({
    'a checkout by card': { to: 'active', told: [...former, ...SENT, ...PAID, ...activation] },
    'a checkout by a card that is declined': refuses(at, 'CARD_DECLINED', [...former, ...FAILED]),
    'a checkout by PIX': stays(at, [...former, 'payment_intent.created']),
    'a checkout of its invoice by card': { to: 'active', told: [...former, ...SENT, ...PAID, ...activation] },
    'a checkout of its invoice by a card that is declined': refuses(at, 'CARD_DECLINED', [...former, ...FAILED]),
    'a PIX of its invoice that is paid': {
      to: 'active',
      told: [...former, 'payment_intent.created', ...PAID, ...activation],
    },
    DELETE: { to: 'inactive', told: [...former, 'invoice.voided', 'subscription.canceled'] },
    PATCH: stays(at, UPDATED),
    'void of its invoice': refuses(at),
    'mark_uncollectible of its invoice': refuses(at),
    'finalize of its invoice': refuses(at),
    'PATCH of its invoice': refuses(at),
    'anonymize of its customer': refuses(at),
  }) as const;

/** How one that was paid before takes another card for its renewals. */
const renewing = (at: Outcome['to']) =>
  ({
    'another card': stays(at, UPDATED),
    'another card that is declined': refuses(at, 'CARD_DECLINED'),
  }) as const;

/** And how one does that has none to pay, yet or any more. */
const notRenewing = (at: Outcome['to']) =>
  ({ 'another card': refuses(at), 'another card that is declined': refuses(at) }) as const;

/** The tables of docs/product/subscriptions.md#moves and docs/product/invoices.md#moves, for every pair. */
const table: Record<Standing, Record<Action, Outcome>> = {
  pending: { ...waiting('pending', ACTIVATED, []), ...notRenewing('pending'), reactivate: refuses('pending') },
  reactivated: { ...waiting('pending', ACTIVATED, DISCARDED), ...renewing('pending'), reactivate: refuses('pending') },
  suspended: {
    ...waiting('suspended', RESUMED, DISCARDED),
    ...renewing('suspended'),
    reactivate: { to: 'pending', told: ['subscription.reactivated'] },
  },
  active: {
    ...renewing('active'),
    'a checkout by card': refuses('active', 'SUBSCRIPTION_NOT_PENDING'),
    'a checkout by a card that is declined': refuses('active', 'SUBSCRIPTION_NOT_PENDING'),
    'a checkout by PIX': refuses('active', 'SUBSCRIPTION_NOT_PENDING'),
    'a checkout of its invoice by card': stays('active', [...DISCARDED, ...SENT, ...PAID]),
    'a checkout of its invoice by a card that is declined': refuses('active', 'CARD_DECLINED', [
      ...DISCARDED,
      ...FAILED,
    ]),
    'a PIX of its invoice that is paid': stays('active', [...DISCARDED, 'payment_intent.created', ...PAID]),
    DELETE: { to: 'inactive', told: [...DISCARDED, 'invoice.voided', 'subscription.canceled'] },
    reactivate: refuses('active'),
    PATCH: stays('active', UPDATED),
    'void of its invoice': stays('active', [...DISCARDED, 'invoice.voided']),
    'mark_uncollectible of its invoice': stays('active', [...DISCARDED, 'invoice.marked_uncollectible']),
    'finalize of its invoice': refuses('active'),
    'PATCH of its invoice': refuses('active'),
    'anonymize of its customer': refuses('active'),
  },
  inactive: {
    ...notRenewing('inactive'),
    'a checkout by card': refuses('inactive', 'SUBSCRIPTION_NOT_PENDING'),
    'a checkout by a card that is declined': refuses('inactive', 'SUBSCRIPTION_NOT_PENDING'),
    'a checkout by PIX': refuses('inactive', 'SUBSCRIPTION_NOT_PENDING'),
    'a checkout of its invoice by card': refuses('inactive', 'INVOICE_NOT_OPEN'),
    'a checkout of its invoice by a card that is declined': refuses('inactive', 'INVOICE_NOT_OPEN'),
    'a PIX of its invoice that is paid': refuses('inactive', 'INVOICE_NOT_OPEN'),
    DELETE: stays('inactive'),
    reactivate: refuses('inactive'),
    PATCH: refuses('inactive'),
    'void of its invoice': refuses('inactive'),
    'mark_uncollectible of its invoice': refuses('inactive'),
    'finalize of its invoice': refuses('inactive'),
    'PATCH of its invoice': refuses('inactive'),
    'anonymize of its customer': stays('inactive'),
  },
};

async function refusalBy(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof FaturaError) return error.code;
    throw error;
  }
}

describe.each(standings)('%s:', (standing) => {
  // Every action is a key of the table's rows, and the other way round.
  test.each(Object.entries(table[standing]) as [Action, Outcome][])('%s', async (action, outcome) => {
    const subject = await scene.make(standing);
    const before = await scene.subscriptions.retrieve(subject.id);
    let refused: string | null = null;
    const told = await scene.told(subject.id, async () => {
      refused = await refusalBy(() => actions[action](subject));
    });
    const after = await scene.subscriptions.retrieve(subject.id);
    expect({ to: after.status, refused, told }).toEqual({
      to: outcome.to,
      refused: outcome.refused ?? null,
      told: outcome.told ?? [],
    });
    if (outcome.refused !== undefined) expect(after).toEqual(before);
  });
});
