import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { InvoiceItems } from '../../parts/invoice-items.tsx';
import { Mandates } from '../../parts/mandates.tsx';
import { MissingNote } from '../../parts/missing-note.tsx';
import { whatsAppUrl } from '../../parts/open-beside.ts';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { useNow } from '../../parts/period.ts';
import { TaxId } from '../../parts/person.tsx';
import { Status } from '../../parts/status.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { EventTimeline } from '../../parts/timeline.tsx';
import { useSetFilters } from '../../parts/use-filters.ts';
import { When } from '../../parts/when.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { phoneNumber } from '../../texts/numbers.ts';
import { CustomerActions } from './actions.tsx';
import { StoredCards } from './cards.tsx';
import { CustomerData } from './data.tsx';
import { CustomerInvoices, CustomerSubscriptions } from './lists.tsx';
import { CustomerMails } from './mails.tsx';
import { CustomerNotes } from './notes.tsx';
import type { CustomerTab } from './tabs.ts';
import { customerTexts } from './texts.ts';
import { INVOICES_MAX, sumsOf, useCustomer, type WholeCustomer } from './use-customer.ts';

const route = getRouteApi('/frame/customers/$id');

/** What somebody should know before they say a word to this customer. */
function Risks({ invoices, declined, disputes }: WholeCustomer) {
  const texts = useTexts(customerTexts);
  const now = useNow();
  const isOverdue = invoices.some(({ status, due_at }) => status === 'open' && now !== undefined && due_at < now);
  const declines = declined.reduce((sum, { attempts }) => sum + attempts, 0);
  return (
    <>
      {declines > 0 && <Status tone="warn">{texts.declined(declines)}</Status>}
      {disputes.length > 0 && <Status tone="bad">{texts.disputed(disputes.length)}</Status>}
      {isOverdue && <Status tone="warn">{texts.overdue}</Status>}
    </>
  );
}

function Phone({ phone }: { phone: string }) {
  const texts = useTexts(customerTexts);
  return (
    <>
      {phoneNumber(phone)}{' '}
      <a href={whatsAppUrl(phone)} target="_blank" rel="noopener noreferrer">
        {texts.whatsApp}
      </a>
    </>
  );
}

function About({ customer, invoices, sameTaxId }: WholeCustomer) {
  const texts = useTexts(customerTexts);
  const { money } = useFormat();
  const { paid, open } = sumsOf(invoices);
  const sum = (cents: number): string => (invoices.length < INVOICES_MAX ? money(cents) : texts.atLeast(money(cents)));
  const { identifier, email, phone } = customer;
  return (
    <Panel>
      <Facts
        facts={[
          [texts.taxId, identifier !== null && <TaxId identifier={identifier} />],
          [texts.tabs.data, identifier === null && texts.anonymized],
          [texts.email, email !== null && <a href={`mailto:${email}`}>{email}</a>],
          [texts.phone, phone !== null && <Phone phone={phone} />],
          [texts.since, <When key="since" at={customer.created} as="date" />],
          [texts.paid, sum(paid)],
          [texts.open, sum(open)],
        ]}
      />
      {sameTaxId > 1 && identifier !== null && (
        <p className="note warn">
          {texts.duplicates(sameTaxId)}{' '}
          <Link to="/customers" search={{ identifier }}>
            {texts.seeDuplicates}
          </Link>
        </p>
      )}
    </Panel>
  );
}

function Parts({ whole }: { whole: WholeCustomer }) {
  const texts = useTexts(customerTexts);
  const { tab = 'timeline' } = route.useSearch();
  const setFilters = useSetFilters();
  const contents: Readonly<Record<CustomerTab, () => ReactNode>> = {
    timeline: () => <EventTimeline of={whole.customer.id} label={texts.tabs.timeline} />,
    invoices: () => <CustomerInvoices {...whole} />,
    subscriptions: () => (
      <div className="stack">
        <CustomerSubscriptions {...whole} />
        <StoredCards id={whole.customer.id} />
        <Mandates of={{ customer_id: whole.customer.id }} />
        <InvoiceItems owner={{ customer_id: whole.customer.id }} isOpen={whole.customer.identifier !== null} />
      </div>
    ),
    mails: () => <CustomerMails id={whole.customer.id} />,
    notes: () => <CustomerNotes {...whole} />,
    data: () => <CustomerData {...whole} />,
  };
  const tabs = (Object.keys(contents) as CustomerTab[]).map((id) => ({
    id,
    title: texts.tabs[id],
    content: contents[id],
  }));
  return <Tabs label={texts.about} selected={tab} onSelect={(taken) => setFilters({ tab: taken })} tabs={tabs} />;
}

/** Everything about one customer. */
export function CustomerScreen() {
  const { id } = route.useParams();
  const { data, error, refetch } = useCustomer(id);
  if (error !== null) return <MissingNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  return (
    <Page title={data.customer.name} aside={<Risks {...data} />} actions={<CustomerActions {...data} />}>
      <About {...data} />
      <Parts whole={data} />
    </Page>
  );
}
