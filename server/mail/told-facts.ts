import type { Dispute } from '../../contract/disputes.ts';
import type { EventType } from '../../contract/events.ts';
import type { Invoice } from '../../contract/invoices.ts';
import type { PaymentIntent } from '../../contract/payments.ts';
import type { Subscription } from '../../contract/subscriptions.ts';
import type { Recorded } from '../unit-of-work/hooks.ts';

/** A payment that was just made, with the charge that made it. */
export interface Payment {
  readonly invoice: Invoice;
  readonly intent: PaymentIntent;
}

/** What of a subscription its buyer is told, alone or with the payment that brought it. */
interface OfSubscription {
  readonly kind:
    | 'subscription_begun'
    | 'trial_begun'
    | 'trial_ending'
    | 'plan_changed'
    | 'suspended'
    | 'reactivated'
    | 'canceled';
  readonly subscription: Subscription;
  readonly payment: Payment | null;
  /** The bill that its end brought; null: none. */
  readonly lastBill: Invoice | null;
}

/** A fact that a buyer is told by one letter (docs/product/mail.md#what-happened). */
export type ToldFact =
  | OfSubscription
  | { readonly kind: 'paid'; readonly payment: Payment }
  | { readonly kind: 'dispute_decided'; readonly dispute: Dispute };

/** What a transaction recorded of one subscription. */
interface Course {
  readonly types: ReadonlySet<EventType>;
  /** As it stands at the end. */
  readonly subscription: Subscription;
  readonly invoices: readonly Invoice[];
  /** Whether its first cycle begins. */
  readonly isFirst: boolean;
  /** Whether an invoice is of a change of it. */
  readonly isOfChange: boolean;
}

const viewsOf = <View extends { readonly object: string }>(
  recorded: readonly Recorded[],
  object: View['object'],
): View[] =>
  // What is shown of an object of a name has one form, which the contract gives.
  recorded.flatMap(({ view }) => (view.object === object ? [view as unknown as View] : []));

function courseOf(recorded: readonly Recorded[], id: string): Course | null {
  const own = recorded.filter(({ view }) => view.id === id);
  const subscription = viewsOf<Subscription>(own, 'subscription').at(-1);
  if (subscription === undefined) return null;
  const invoices = viewsOf<Invoice>(recorded, 'invoice').filter((invoice) => invoice.subscription === id);
  return {
    types: new Set(own.map(({ type }) => type)),
    ...{ subscription, invoices },
    isFirst: invoices.some(({ cycle }) => cycle === 1),
    isOfChange: invoices.some(({ billing_reason: reason }) => reason === 'subscription_change'),
  };
}

/** A trial was told of when it began, with what comes behind it; that it is charged then is told with the payment. */
const isAfterTrial = ({ subscription }: Course): boolean => subscription.trial_end !== null;

/** Whether its buyer knew of it: of one that ends before it has begun nobody was told anything. */
const hasBegun = ({ subscription }: Course): boolean =>
  subscription.current_period_start !== null || subscription.trial_start !== null;

/** An end that was asked for ahead was told when it was asked for. */
const wasTold = ({ subscription: { cancel_at: at, ended } }: Course): boolean =>
  at !== null && ended !== null && at <= ended;

/** A change that was told when it was scheduled holds with the beginning of its period. */
const isScheduled = ({ types, isOfChange }: Course): boolean => types.has('subscription.period_started') && !isOfChange;

type Kind = OfSubscription['kind'];

/** What of a subscription is told, the first that fits; a transaction makes one fact of it. */
const facts: readonly (readonly [Kind, (course: Course, isPaid: boolean) => boolean])[] = [
  ['canceled', (course) => course.types.has('subscription.canceled') && hasBegun(course) && !wasTold(course)],
  ['canceled', ({ types }) => types.has('subscription.cancel_scheduled')],
  ['suspended', ({ types }) => types.has('subscription.suspended')],
  ['trial_begun', ({ types }) => types.has('subscription.trial_started')],
  ['trial_ending', ({ types }) => types.has('subscription.trial_will_end')],
  ['plan_changed', (course) => course.types.has('subscription.change_scheduled') && hasBegun(course)],
  ['plan_changed', (course) => course.types.has('subscription.changed') && hasBegun(course) && !isScheduled(course)],
  [
    'subscription_begun',
    (course, isPaid) =>
      course.types.has('subscription.activated') && course.isFirst && (isPaid || !isAfterTrial(course)),
  ],
  ['reactivated', ({ types, isFirst }) => types.has('subscription.activated') && !isFirst],
];

const kindOf = (course: Course, isPaid: boolean): Kind | null =>
  facts.find(([, isTold]) => isTold(course, isPaid))?.[0] ?? null;

/** The payments that a transaction made; a bill of nothing is none. */
function paymentsOf(recorded: readonly Recorded[]): Payment[] {
  const paid = recorded.filter(({ type }) => type === 'invoice.paid' || type === 'payment_intent.paid');
  const intents = viewsOf<PaymentIntent>(paid, 'payment_intent');
  return viewsOf<Invoice>(paid, 'invoice').flatMap((invoice) => {
    const intent = intents.find(({ invoice: of }) => of === invoice.id);
    return intent === undefined ? [] : [{ invoice, intent }];
  });
}

const DECIDED: ReadonlySet<EventType> = new Set(['dispute.closed', 'dispute.funds_reinstated']);

/** What of all that a transaction recorded its buyers are told: one letter for each fact. */
export function factsToTell(recorded: readonly Recorded[]): ToldFact[] {
  const payments = paymentsOf(recorded);
  const subscriptions = new Set(viewsOf<Subscription>(recorded, 'subscription').map(({ id }) => id));
  const told = [...subscriptions].flatMap((id): OfSubscription[] => {
    const course = courseOf(recorded, id);
    if (course === null) return [];
    const payment = payments.find(({ invoice }) => invoice.subscription === id) ?? null;
    const kind = kindOf(course, payment !== null);
    if (kind === null) return [];
    const { subscription, invoices } = course;
    const lastBill = invoices.find(({ billing_reason: reason }) => reason === 'subscription_end') ?? null;
    return [{ kind, subscription, payment: tellsOfPayment(kind) ? payment : null, lastBill }];
  });
  const alone = payments.filter((payment) => told.every((fact) => fact.payment !== payment));
  const disputes = viewsOf<Dispute>(
    recorded.filter(({ type }) => DECIDED.has(type)),
    'dispute',
  );
  return [
    ...told,
    ...alone.map((payment) => ({ kind: 'paid' as const, payment })),
    ...new Map(disputes.map((dispute) => [dispute.id, { kind: 'dispute_decided' as const, dispute }])).values(),
  ];
}

const tellsOfPayment = (kind: Kind): boolean =>
  kind === 'subscription_begun' || kind === 'reactivated' || kind === 'plan_changed';
