import type { PaymentLink } from '@fatura/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useRoleRefusal } from '../../api/may.ts';
import { useReadList } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { useNow } from '../../parts/period.ts';
import { Status, type Tone } from '../../parts/status.tsx';
import { useTexts } from '../../texts/language.tsx';
import { NewChargeLink } from './charges.tsx';
import { LinkDialog } from './link-dialog.tsx';
import { paymentLinkTexts } from './link-texts.ts';
import { type LinkState, linkState } from './sold.ts';
import { linkTexts } from './texts.ts';
import { useLinkWords, useSoldPrices } from './use-link-words.ts';

const tones: Readonly<Record<LinkState, Tone>> = {
  selling: 'good',
  held: 'warn',
  soldOut: 'calm',
  ended: 'off',
  off: 'off',
};

/** Whether a link sells now. */
export function LinkStatus({ link }: { link: PaymentLink }) {
  const { states } = useTexts(paymentLinkTexts);
  const state = linkState(link, useNow());
  return <Status tone={tones[state]}>{states[state]}</Status>;
}

function useColumns(): readonly Column<PaymentLink>[] {
  const texts = useTexts(paymentLinkTexts);
  const { data: prices = [] } = useSoldPrices();
  const { what, amount, sales } = useLinkWords(prices);
  return [
    { id: 'what', name: texts.what, isHead: true, show: what },
    { id: 'amount', name: texts.price, align: 'end', show: amount },
    { id: 'sales', name: texts.sales, show: sales },
    {
      id: 'link',
      name: texts.link,
      show: (link) => link.url !== null && <Copyable text={link.url} shown="" name={texts.linkOf(what(link))} />,
    },
    { id: 'state', name: texts.state, isCorner: true, show: (link) => <LinkStatus link={link} /> },
  ];
}

function NewLink() {
  const texts = useTexts(paymentLinkTexts);
  const navigate = useNavigate();
  const refused = useRoleRefusal()('paymentLinks.create');
  const [isOpen, setOpen] = useState(false);
  if (refused !== null) return null;
  return (
    <>
      <Button kind="primary" onPress={() => setOpen(true)}>
        {texts.newLink}
      </Button>
      <LinkDialog
        onDone={({ id }) => void navigate({ to: '/links/$id', params: { id } })}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
      />
    </>
  );
}

/** The payment links of the merchant, newest first. */
export function Links() {
  const { title } = useTexts(linkTexts);
  const { empty } = useTexts(paymentLinkTexts);
  const query = useReadList(['links'], (fatura, cursor, options) => fatura.paymentLinks.list({ ...cursor }, options));
  const actions = (
    <>
      <NewChargeLink kind="secondary" />
      <NewLink />
    </>
  );
  return (
    <Page title={title} actions={actions}>
      <List
        label={title}
        query={query}
        columns={useColumns()}
        link={({ id }) => ({ to: '/links/$id', params: { id } })}
        empty={<p>{empty}</p>}
      />
    </Page>
  );
}
