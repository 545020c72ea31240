import type { Customer, Dispute, Fatura, PaymentIntent, RequestOptions } from '@fatura/sdk';
import { getRouteApi } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { MissingNote } from '../../parts/missing-note.tsx';
import { Money } from '../../parts/money.tsx';
import { ObjectLink } from '../../parts/object-link.tsx';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { usePaymentMethod } from '../../parts/payment.tsx';
import { Pending } from '../../parts/pending.tsx';
import { Person } from '../../parts/person.tsx';
import { EventTimeline } from '../../parts/timeline.tsx';
import { When } from '../../parts/when.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { DisputeStatusBadge, Funds } from './parts.tsx';
import { type DisputeTexts, disputeTexts } from './texts.ts';

const route = getRouteApi('/frame/disputes/$id');

/** A dispute with the payment that it is of, and whoever paid. */
interface WholeDispute {
  readonly dispute: Dispute;
  readonly payment: PaymentIntent;
  readonly customer: Customer;
}

async function readWhole(fatura: Fatura, id: string, options: RequestOptions): Promise<WholeDispute> {
  const dispute = await fatura.disputes.retrieve(id, options);
  const [payment, customer] = await Promise.all([
    fatura.paymentIntents.retrieve(dispute.payment_intent, options),
    fatura.customers.retrieve(dispute.customer, options),
  ]);
  return { dispute, payment, customer };
}

function What({ dispute }: WholeDispute) {
  const texts = useTexts(disputeTexts);
  return (
    <Panel title={texts.what}>
      <p>
        {dispute.kind === 'med' ? texts.stories[dispute.reason] : texts.cardStory}
        {dispute.status === 'won' && ` ${texts.given}`}
      </p>
    </Panel>
  );
}

function About({ dispute, payment, customer }: WholeDispute) {
  const texts = useTexts(disputeTexts);
  const methodOf = usePaymentMethod();
  return (
    <Panel title={texts.aboutOne}>
      <Facts
        facts={[
          [texts.amount, <Money key="amount" cents={dispute.amount} />],
          [texts.funds, <Funds key="funds" funds={dispute.funds} />],
          [texts.reason, texts.reasons[dispute.reason]],
          [texts.kind, texts.kinds[dispute.kind]],
          [texts.due, dispute.evidence_due_by === null ? texts.noDue : <When key="due" at={dispute.evidence_due_by} />],
          [texts.created, <When key="created" at={dispute.created} />],
          [texts.closed, dispute.closed_at !== null && <When at={dispute.closed_at} />],
          [
            texts.customer,
            <ObjectLink key="customer" id={customer.id}>
              <Person name={customer.name} identifier={customer.identifier} />
            </ObjectLink>,
          ],
          [
            texts.payment,
            <ObjectLink key="payment" id={payment.id}>
              {methodOf(payment)} · <Money cents={payment.amount} />
            </ObjectLink>,
          ],
          [texts.paidAt, <When key="paid" at={payment.status_transitions.paid_at} />],
          [texts.invoice, <ObjectLink key="invoice" id={dispute.invoice} />],
          [texts.subscription, payment.subscription !== null && <ObjectLink id={payment.subscription} />],
          [texts.id, <Copyable key="id" text={dispute.id} name={texts.theId} />],
        ]}
      />
    </Panel>
  );
}

/** What is left to do of a dispute, as its status and its bank have it. */
function adviceOf({ dispute, payment }: WholeDispute, texts: DisputeTexts): readonly string[] {
  const { kind, status, reason } = dispute;
  if (status === 'won') return [texts.won];
  if (status === 'closed') return [texts.over];
  if (status === 'under_review') return [texts.wait];
  if (status === 'needs_response') return [texts.answer];
  const goesOn = payment.subscription === null ? [] : [texts.med.subscription];
  if (kind !== 'med') return [texts.med.deliver, texts.med.noRefund, ...goesOn];
  const isOwn = reason === 'returned_at_bank';
  const first = isOwn ? [texts.med.ownReturn] : [texts.med.noAnswer, texts.med.object, texts.med.deliver];
  return [...first, texts.med.noRefund, ...goesOn];
}

function Advice(whole: WholeDispute) {
  const texts = useTexts(disputeTexts);
  return (
    <Panel title={texts.todo}>
      <ul className="advice">
        {adviceOf(whole, texts).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </Panel>
  );
}

/** One dispute: what the bank did, what can be done, and what happened. */
export function DisputeScreen() {
  const { id } = route.useParams();
  const texts = useTexts(disputeTexts);
  const { money } = useFormat();
  const { data, error, refetch } = useRead(['disputes', id, 'whole'], (fatura, options) =>
    readWhole(fatura, id, options),
  );
  if (error !== null) return <MissingNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  const { dispute } = data;
  return (
    <Page title={texts.one(money(dispute.amount))} aside={<DisputeStatusBadge status={dispute.status} />}>
      <div className="columns">
        <div className="stack">
          <What {...data} />
          <Advice {...data} />
          <About {...data} />
        </div>
        <Panel title={texts.timeline}>
          <EventTimeline of={id} label={texts.timeline} />
        </Panel>
      </div>
    </Page>
  );
}
