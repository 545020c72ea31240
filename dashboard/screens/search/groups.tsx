import type { CheckoutSession, Customer, Invoice, PaymentIntent, Subscription } from '@fatura/sdk';
import { type Column, Rows } from '../../parts/list.tsx';
import { Money } from '../../parts/money.tsx';
import { PaymentStatus, usePaymentMethod } from '../../parts/payment.tsx';
import { Status } from '../../parts/status.tsx';
import { When } from '../../parts/when.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useCustomerColumns } from '../customers/customers.tsx';
import { invoiceLink, SubscriptionRows, useInvoiceColumns } from '../customers/lists.tsx';
import { searchTexts } from './texts.ts';

export function FoundCustomers({ customers }: { customers: readonly Customer[] }) {
  const texts = useTexts(searchTexts);
  const link = ({ id }: Customer) => ({ to: '/customers/$id', params: { id } });
  return (
    <Rows label={texts.customers} rows={customers} columns={useCustomerColumns()} link={link} hasOwnKeys={false} />
  );
}

export function FoundInvoices({ invoices }: { invoices: readonly Invoice[] }) {
  const texts = useTexts(searchTexts);
  const columns: readonly Column<Invoice>[] = [
    { id: 'customer', name: texts.customer, isHead: true, show: ({ customer_name: name }) => name },
    ...useInvoiceColumns().map(({ isHead: _, ...column }) => column),
  ];
  return <Rows label={texts.invoices} rows={invoices} columns={columns} link={invoiceLink} hasOwnKeys={false} />;
}

export function FoundPayments({ payments }: { payments: readonly PaymentIntent[] }) {
  const texts = useTexts(searchTexts);
  const methodOf = usePaymentMethod();
  const columns: readonly Column<PaymentIntent>[] = [
    {
      id: 'when',
      name: texts.when,
      isHead: true,
      show: ({ created, status_transitions: { paid_at } }) => <When at={paid_at ?? created} />,
    },
    { id: 'method', name: texts.method, show: methodOf },
    { id: 'amount', name: texts.amount, align: 'end', isCorner: true, show: ({ amount }) => <Money cents={amount} /> },
    { id: 'status', name: texts.status, show: (payment) => <PaymentStatus {...payment} /> },
  ];
  const link = ({ id, invoice }: PaymentIntent) => ({ ...invoiceLink({ id: invoice }), search: { payment: id } });
  return <Rows label={texts.payments} rows={payments} columns={columns} link={link} hasOwnKeys={false} />;
}

export function FoundSubscriptions({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  return <SubscriptionRows subscriptions={subscriptions} hasOwnKeys={false} />;
}

const tones = { open: 'calm', complete: 'good', expired: 'off' } as const;

export function FoundSessions({ sessions }: { sessions: readonly CheckoutSession[] }) {
  const texts = useTexts(searchTexts);
  const columns: readonly Column<CheckoutSession>[] = [
    { id: 'when', name: texts.when, isHead: true, show: ({ created }) => <When at={created} /> },
    {
      id: 'amount',
      name: texts.amount,
      align: 'end',
      isCorner: true,
      show: ({ amount }) => amount !== null && <Money cents={amount} />,
    },
    {
      id: 'status',
      name: texts.status,
      show: ({ status }) => <Status tone={tones[status]}>{texts.sessionStatuses[status]}</Status>,
    },
    { id: 'id', name: texts.id, show: ({ id }) => <code>{id}</code> },
  ];
  return <Rows label={texts.sessions} rows={sessions} columns={columns} hasOwnKeys={false} />;
}
