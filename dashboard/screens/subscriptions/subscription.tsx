import type { InvoicePreview, SubscriptionChange } from '@fatura/sdk';
import { getRouteApi } from '@tanstack/react-router';
import { BillLines } from '../../parts/bill-lines.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { InvoiceItems } from '../../parts/invoice-items.tsx';
import { Mandates } from '../../parts/mandates.tsx';
import { MissingNote } from '../../parts/missing-note.tsx';
import { Money } from '../../parts/money.tsx';
import { ObjectLink } from '../../parts/object-link.tsx';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { usePaymentMethod } from '../../parts/payment.tsx';
import { Pending } from '../../parts/pending.tsx';
import { useNow } from '../../parts/period.ts';
import { Person } from '../../parts/person.tsx';
import { SubscriptionStatusBadge } from '../../parts/subscription.tsx';
import { EventTimeline } from '../../parts/timeline.tsx';
import { When } from '../../parts/when.tsx';
import { WorkflowsLink } from '../../parts/workflows-link.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { SubscriptionActions } from './actions.tsx';
import { changeTexts } from './change-texts.ts';
import { Cycles } from './cycles.tsx';
import { Items } from './items.tsx';
import { useOwnDays } from './own-days.ts';
import { useStateInWords } from './state.ts';
import { subscriptionsTexts } from './texts.ts';
import { useSubscription, type WholeSubscription } from './use-subscription.ts';

const route = getRouteApi('/frame/subscriptions/$id');

function Discounts({ subscription }: Pick<WholeSubscription, 'subscription'>) {
  const texts = useTexts(subscriptionsTexts).one;
  const { money, percentage: percentageOf } = useFormat();
  return (
    <ul>
      {subscription.discounts.data.map(({ description, percentage, amount, cycles }) => (
        <li key={`${description} ${percentage} ${amount} ${cycles}`}>
          {description !== null && `${description}: `}
          {texts.discount(percentage === null ? money(amount ?? 0) : percentageOf(percentage), cycles)}
        </li>
      ))}
    </ul>
  );
}

/** A change that waits for its period, or for its payment. */
function Waiting({ status, effective_at: at, lapses_at: lapsesAt, invoice }: SubscriptionChange) {
  const texts = useTexts(changeTexts);
  const { date, moment } = useFormat();
  if (status !== 'awaiting_payment') return texts.waitsUntil(date(at));
  return (
    <>
      {texts.waitsForPayment(moment(lapsesAt ?? at))}{' '}
      {invoice !== null && <ObjectLink id={invoice}>{texts.itsInvoice}</ObjectLink>}
    </>
  );
}

function About({ subscription, customer }: WholeSubscription) {
  const texts = useTexts(subscriptionsTexts).one;
  const changes = useTexts(changeTexts);
  const methodOf = usePaymentMethod();
  const { current_period_start: from, current_period_end: until, ended } = subscription;
  const { trial_start: trialFrom, trial_end: trialUntil, status, start_date: begins } = subscription;
  const ownDays = useOwnDays(subscription);
  return (
    <Panel title={texts.about}>
      <Facts
        facts={[
          [
            texts.customer,
            <ObjectLink key="customer" id={customer.id}>
              <Person name={customer.name} identifier={customer.identifier} />
            </ObjectLink>,
          ],
          [texts.price, <Items key="items" {...subscription} />],
          [texts.discounts, subscription.discounts.data.length > 0 && <Discounts subscription={subscription} />],
          [texts.method, methodOf(subscription)],
          [changes.waits, subscription.pending_change !== null && <Waiting {...subscription.pending_change} />],
          [texts.credit, subscription.credit_balance > 0 && <Money key="credit" cents={subscription.credit_balance} />],
          [
            texts.period,
            from !== null && ended === null && (
              <>
                <When at={from} as="date" /> – <When at={until} as="date" />
              </>
            ),
          ],
          [
            texts.trial,
            trialFrom !== null && (
              <>
                <When at={trialFrom} as="date" /> – <When at={trialUntil} as="date" />
              </>
            ),
          ],
          [texts.begins, status === 'scheduled' && <When at={begins} />],
          ownDays,
          [texts.created, <When key="created" at={subscription.created} />],
          [texts.ended, ended !== null && <When at={ended} />],
          [texts.externalCode, subscription.external_code],
          [texts.id, <Copyable key="id" text={subscription.id} name={texts.theId} />],
        ]}
      />
      <WorkflowsLink of={[subscription.id]} />
    </Panel>
  );
}

/** The bill to come as the service decides it, and before it the one of the next period that was made ahead. */
function Next({ subscription, latest, upcoming }: WholeSubscription) {
  const texts = useTexts(subscriptionsTexts).one;
  // Of a first bill neither is known yet.
  const isAhead = latest?.period_start != null && latest.period_start === subscription.current_period_end;
  const ahead = isAhead ? latest : null;
  return (
    <Panel title={texts.next}>
      {ahead !== null && (
        <ul className="lines" aria-label={texts.billedAhead}>
          <li>
            <span>
              <When at={ahead.period_start} />{' '}
              <small>
                <ObjectLink id={ahead.id}>{texts.billedAhead}</ObjectLink>
              </small>
            </span>
            <Money cents={ahead.total} />
          </li>
        </ul>
      )}
      {upcoming === null ? ahead === null && <p className="soft">{texts.noNext}</p> : <Upcoming upcoming={upcoming} />}
    </Panel>
  );
}

function Upcoming({ upcoming }: { upcoming: InvoicePreview }) {
  const texts = useTexts(subscriptionsTexts).one;
  return (
    <>
      <p>
        <When at={upcoming.period_start} />
      </p>
      <BillLines bill={upcoming} label={texts.next} />
      <ul className="lines sums">
        <li>
          <span>{texts.total}</span>
          <Money cents={upcoming.total} />
        </li>
      </ul>
      <p className="soft">{texts.nextNote}</p>
    </>
  );
}

/** Who pays what, how it stands in words, its cycles, what comes next, and what can be done. */
export function SubscriptionScreen() {
  const { id } = route.useParams();
  const texts = useTexts(subscriptionsTexts).one;
  const { data, error, refetch } = useSubscription(id);
  const now = useNow();
  const inWords = useStateInWords();
  if (error !== null) return <MissingNote error={error} retry={() => void refetch()} />;
  if (data === undefined || now === undefined) return <Pending />;
  return (
    <Page
      title={texts.title(data.customer.name)}
      aside={<SubscriptionStatusBadge {...data.subscription} />}
      actions={<SubscriptionActions whole={data} />}
    >
      <p className="sentence">{inWords(data, now)}</p>
      <Cycles id={id} />
      <div className="columns">
        <div className="stack">
          <About {...data} />
          <Next {...data} />
          <Mandates of={{ subscription_id: id }} />
          <InvoiceItems owner={{ subscription_id: id }} isOpen={data.subscription.status !== 'inactive'} />
        </div>
        <Panel title={texts.timeline}>
          <EventTimeline of={id} label={texts.timeline} />
        </Panel>
      </div>
    </Page>
  );
}
