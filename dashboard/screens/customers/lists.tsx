import type { Invoice, Subscription } from '@fatura/sdk';
import { useRouter } from '@tanstack/react-router';
import { itemsSubtotal } from '../../parts/items-subtotal.ts';
import { type Column, Rows } from '../../parts/list.tsx';
import { Money } from '../../parts/money.tsx';
import { InvoiceStatusBadge } from '../../parts/payment.tsx';
import { useNow } from '../../parts/period.ts';
import { SubscriptionStatusBadge } from '../../parts/subscription.tsx';
import { When } from '../../parts/when.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { customerTexts } from './texts.ts';
import type { WholeCustomer } from './use-customer.ts';

function Nothing() {
  const { parts } = useSharedTexts();
  return <p className="empty">{parts.nothing}</p>;
}

const itemOf = ({ line_items, description, id }: Invoice): string =>
  line_items.data[0]?.description ?? description ?? id;

/** An invoice by what was bought. */
export function useInvoiceColumns(): readonly Column<Invoice>[] {
  const texts = useTexts(customerTexts);
  const now = useNow();
  return [
    { id: 'item', name: texts.item, isHead: true, show: itemOf },
    { id: 'due', name: texts.due, show: ({ due_at }) => <When at={due_at} as="date" /> },
    { id: 'amount', name: texts.amount, align: 'end', isCorner: true, show: ({ total }) => <Money cents={total} /> },
    { id: 'status', name: texts.status, show: (invoice) => <InvoiceStatusBadge {...invoice} now={now} /> },
  ];
}

export const invoiceLink = ({ id }: Pick<Invoice, 'id'>) => ({ to: '/invoices/$id', params: { id } });

export function CustomerInvoices({ invoices }: Pick<WholeCustomer, 'invoices'>) {
  const texts = useTexts(customerTexts);
  const columns = useInvoiceColumns();
  if (invoices.length === 0) return <Nothing />;
  return <Rows label={texts.tabs.invoices} rows={invoices} columns={columns} link={invoiceLink} />;
}

const SCREEN = '/subscriptions/$id';

interface SubscriptionRowsProps {
  readonly subscriptions: readonly Subscription[];
  readonly hasOwnKeys?: boolean;
}

/** Subscriptions; each leads to its screen. */
export function SubscriptionRows({ subscriptions, hasOwnKeys = true }: SubscriptionRowsProps) {
  const texts = useTexts(customerTexts);
  const { routesByPath } = useRouter();
  const columns: readonly Column<Subscription>[] = [
    { id: 'price', name: texts.subscriptionName, isHead: true, show: ({ item, id }) => item.price.nickname ?? id },
    {
      id: 'amount',
      name: texts.amount,
      align: 'end',
      isCorner: true,
      show: ({ items }) => <Money cents={itemsSubtotal(items)} />,
    },
    {
      id: 'next',
      name: texts.nextCharge,
      show: ({ status, current_period_end: end }) => <When at={status === 'active' ? end : null} as="date" />,
    },
    { id: 'status', name: texts.status, show: (subscription) => <SubscriptionStatusBadge {...subscription} /> },
  ];
  const link = ({ id }: Subscription) => ({ to: SCREEN, params: { id } });
  const rows = { hasOwnKeys, label: texts.tabs.subscriptions, rows: subscriptions, columns };
  return <Rows {...rows} {...(SCREEN in routesByPath && { link })} />;
}

export function CustomerSubscriptions({ subscriptions }: Pick<WholeCustomer, 'subscriptions'>) {
  return subscriptions.length === 0 ? <Nothing /> : <SubscriptionRows subscriptions={subscriptions} />;
}
