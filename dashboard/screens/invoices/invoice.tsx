import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/may.ts';
import { BillLines } from '../../parts/bill-lines.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { MissingNote } from '../../parts/missing-note.tsx';
import { Money } from '../../parts/money.tsx';
import { ObjectLink } from '../../parts/object-link.tsx';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { InvoiceStatusBadge } from '../../parts/payment.tsx';
import { Pending } from '../../parts/pending.tsx';
import { useNow } from '../../parts/period.ts';
import { Person } from '../../parts/person.tsx';
import { EventTimeline } from '../../parts/timeline.tsx';
import { When } from '../../parts/when.tsx';
import { WorkflowsLink } from '../../parts/workflows-link.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { InvoiceActions } from './actions.tsx';
import { Payments } from './payments.tsx';
import { RefundDialog } from './refund-dialog.tsx';
import { invoiceTexts } from './texts.ts';
import { type PaymentWithRefund, refundable, useInvoice, type WholeInvoice } from './use-invoice.ts';

const route = getRouteApi('/frame/invoices/$id');

function Items({ invoice }: Pick<WholeInvoice, 'invoice'>) {
  const texts = useTexts(invoiceTexts);
  const sum = (name: string, cents: number) => (
    <li key={name}>
      <span>{name}</span>
      <Money cents={cents} />
    </li>
  );
  return (
    <Panel title={texts.items}>
      <BillLines bill={invoice} label={texts.items} />
      <ul className="lines sums">
        {sum(texts.total, invoice.total)}
        {invoice.amount_refunded > 0 && sum(texts.refunded, -invoice.amount_refunded)}
        {invoice.amount_disputed > 0 && sum(texts.disputed, -invoice.amount_disputed)}
        {invoice.amount_late > 0 && sum(texts.late, invoice.amount_late)}
        {invoice.status === 'open' &&
          invoice.amount_remaining !== invoice.total &&
          sum(texts.remaining, invoice.amount_remaining)}
      </ul>
    </Panel>
  );
}

function Who({ invoice, customer, payments }: WholeInvoice) {
  const texts = useTexts(invoiceTexts);
  const { period_start: from, period_end: until, subscription } = invoice;
  return (
    <Panel title={texts.what}>
      <Facts
        facts={[
          [
            texts.customer,
            <ObjectLink key="customer" id={customer.id}>
              <Person name={customer.name} identifier={customer.identifier} />
            </ObjectLink>,
          ],
          [texts.due, <When key="due" at={invoice.due_at} />],
          [
            texts.paidAt,
            invoice.status_transitions.paid_at !== null && <When at={invoice.status_transitions.paid_at} />,
          ],
          [texts.created, <When key="created" at={invoice.created} />],
          [texts.description, invoice.description],
          [texts.subscription, subscription !== null && <ObjectLink id={subscription} />],
          [
            texts.period,
            from !== null && (
              <>
                <When at={from} as="date" /> – <When at={until} as="date" />
              </>
            ),
          ],
          [texts.externalCode, invoice.external_code],
          [texts.id, <Copyable key="id" text={invoice.id} name={texts.theId} />],
        ]}
      />
      <WorkflowsLink of={payments.map(({ payment }) => payment.id)} />
    </Panel>
  );
}

/** What was sold to whom, every payment of it, what happened, and what can be done now. */
export function InvoiceScreen() {
  const { id } = route.useParams();
  const { payment: asked } = route.useSearch();
  const texts = useTexts(invoiceTexts);
  const { money } = useFormat();
  const { data, error, refetch } = useInvoice(id);
  const now = useNow();
  const may = useMay();
  const [refunding, setRefunding] = useState<PaymentWithRefund | null>(null);
  if (error !== null) return <MissingNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  const { invoice } = data;
  const able = may('refunds.create') ? refundable(data, asked) : undefined;
  return (
    <Page
      title={texts.title(money(invoice.total))}
      aside={<InvoiceStatusBadge {...invoice} now={now} />}
      actions={<InvoiceActions whole={data} refund={able === undefined ? null : () => setRefunding(able)} />}
    >
      <div className="columns">
        <div className="stack">
          <Who {...data} />
          <Items invoice={invoice} />
          <Payments payments={data.payments} asked={asked} />
        </div>
        <Panel title={texts.timeline}>
          <EventTimeline of={id} label={texts.timeline} />
        </Panel>
      </div>
      <RefundDialog whole={data} refunding={refunding} onClose={() => setRefunding(null)} />
    </Page>
  );
}
