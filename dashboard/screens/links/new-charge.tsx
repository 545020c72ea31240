import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useRoleRefusal } from '../../api/may.ts';
import { useRead } from '../../api/queries.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Page } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { useToday } from '../../parts/period.ts';
import { useTexts } from '../../texts/language.tsx';
import { ChargeForm } from './charge-form.tsx';
import { ChargeReady } from './charge-made.tsx';
import { type Buyer, type ChargeMade, NOBODY, readOffers } from './charge-order.ts';
import { linkTexts } from './texts.ts';

const route = getRouteApi('/frame/links/new');

/** What the form needs before one can fill it in: what is sold, and who was chosen elsewhere. */
function useBeginning(customer: string | undefined) {
  return useRead(['charge', customer], async (fatura, options) => {
    const [offers, chosen] = await Promise.all([
      readOffers(fatura, options),
      customer === undefined ? null : fatura.customers.retrieve(customer, options),
    ]);
    const buyer: Buyer = chosen === null ? NOBODY : { kind: 'known', customer: chosen };
    return { offers, buyer };
  });
}

function Charge() {
  const { customer } = route.useSearch();
  const { data, error, refetch } = useBeginning(customer);
  const today = useToday();
  const [made, setMade] = useState<ChargeMade | null>(null);
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined || today === undefined) return <Pending />;
  if (made !== null) return <ChargeReady {...made} again={() => setMade(null)} />;
  return <ChargeForm {...data} today={today} onMade={setMade} />;
}

/** A charge in a few seconds: its link, its QR code and the text for the buyer. */
export function NewCharge() {
  const texts = useTexts(linkTexts);
  const refused = useRoleRefusal()('invoices.create');
  return <Page title={texts.newCharge}>{refused === null ? <Charge /> : <p className="note warn">{refused}</p>}</Page>;
}
