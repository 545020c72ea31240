import type { Customer, Invoice } from '@fatura/sdk';
import { useState } from 'react';
import { useRoleRefusal } from '../../api/may.ts';
import { useFatura } from '../../api/queries.ts';
import { type Action, ActionMenu } from '../../parts/action-menu.tsx';
import { useBillActs } from '../../parts/bill-acts.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { firstName, openBeside, whatsAppUrl } from '../../parts/open-beside.ts';
import { type Format, useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { ExtendDialog } from './extend-dialog.tsx';
import { type InvoiceTexts, invoiceTexts } from './texts.ts';
import type { WholeInvoice } from './use-invoice.ts';

type Asking = 'extend' | 'void' | 'uncollectible' | 'finalize' | null;

interface ActionsProps {
  readonly whole: WholeInvoice;
  /** Null: nothing can be refunded. */
  readonly refund: (() => void) | null;
}

/** Why an invoice may not be closed by hand, if it may not. */
function closingRefused({ status }: Invoice, isProcessing: boolean, texts: InvoiceTexts['refused']): string | null {
  if (isProcessing) return texts.processing;
  return status === 'paid' || status === 'void' ? texts[status] : null;
}

interface Wanted {
  readonly texts: InvoiceTexts;
  readonly invoice: Invoice;
  readonly customer: Customer;
  readonly money: Format['money'];
  readonly acts: ReturnType<typeof useBillActs>;
  readonly role: ReturnType<typeof useRoleRefusal>;
}

/** What helps a buyer to pay. */
function payingActions({ texts: { actions, refused }, invoice, customer, money, acts, role }: Wanted): Action[] {
  const notOpen = invoice.status === 'open' ? null : refused.notOpen;
  const url = invoice.payment_url;
  const noLink = notOpen ?? (url === null ? refused.noLink : null);
  const share = (): void => {
    const text = actions.whatsAppText(firstName(customer.name), money(invoice.amount_remaining), url ?? '');
    openBeside(whatsAppUrl(customer.phone ?? '', text));
  };
  return [
    {
      id: 'send',
      name: actions.send,
      run: () => acts.send.run(invoice.id),
      refused: role('invoices.send') ?? notOpen ?? (customer.email === null ? refused.noEmail : null),
    },
    {
      id: 'pix',
      name: actions.copyPix,
      run: () => acts.copyPix.run(invoice.id),
      refused: role('invoices.checkout') ?? notOpen,
    },
    { id: 'link', name: actions.copyLink, run: () => void acts.copyLink(invoice.payment_url ?? ''), refused: noLink },
    {
      id: 'whatsapp',
      name: actions.whatsApp,
      run: share,
      refused: noLink ?? (customer.phone === null ? refused.noPhone : null),
    },
    {
      id: 'receipt',
      name: actions.receipt,
      run: () => openBeside(`${invoice.receipt_url}.pdf`),
      refused: invoice.receipt_url === null ? refused.noReceipt : null,
    },
  ];
}

function Questions({ invoice, asking, onClose }: { invoice: Invoice; asking: Asking; onClose: () => void }) {
  const texts = useTexts(invoiceTexts).actions;
  const fatura = useFatura();
  const common = { onClose };
  return (
    <>
      <Confirm
        {...common}
        title={texts.voidAction}
        action={texts.voidAction}
        act={(options) => fatura.invoices.void(invoice.id, options)}
        done={texts.voided}
        isDanger
        isOpen={asking === 'void'}
      >
        <p>{texts.voidText}</p>
      </Confirm>
      <Confirm
        {...common}
        title={texts.uncollectible}
        action={texts.uncollectible}
        act={(options) => fatura.invoices.markUncollectible(invoice.id, options)}
        done={texts.given}
        isDanger
        isOpen={asking === 'uncollectible'}
      >
        <p>{texts.uncollectibleText}</p>
      </Confirm>
      <Confirm
        {...common}
        title={texts.finalize}
        action={texts.finalize}
        act={(options) => fatura.invoices.finalize(invoice.id, options)}
        done={texts.finalized}
        isOpen={asking === 'finalize'}
      >
        <p>{texts.finalizeText}</p>
      </Confirm>
      <ExtendDialog {...common} invoice={invoice} isOpen={asking === 'extend'} />
    </>
  );
}

interface Closing extends Pick<Wanted, 'texts' | 'invoice' | 'role'> {
  readonly isProcessing: boolean;
  readonly ask: (asking: Asking) => void;
}

/** What opens an invoice, what moves its due date and what ends it. */
function statusActions({ texts: { actions, extend, refused }, invoice, role, isProcessing, ask }: Closing): Action[] {
  const noClosing = closingRefused(invoice, isProcessing, refused);
  const notOpen = invoice.status === 'draft' ? refused.draft : refused.uncollectible;
  return [
    {
      id: 'finalize',
      name: actions.finalize,
      run: () => ask('finalize'),
      refused: role('invoices.finalize') ?? (invoice.status === 'draft' ? null : refused.notDraft),
    },
    {
      id: 'extend',
      name: extend.action,
      run: () => ask('extend'),
      refused: role('invoices.extend') ?? (invoice.status === 'open' ? null : refused.notToExtend),
    },
    {
      id: 'void',
      name: actions.void,
      run: () => ask('void'),
      refused: role('invoices.void') ?? noClosing,
      isDanger: true,
    },
    {
      id: 'uncollectible',
      name: actions.uncollectible,
      run: () => ask('uncollectible'),
      refused: role('invoices.markUncollectible') ?? noClosing ?? (invoice.status === 'open' ? null : notOpen),
      isDanger: true,
    },
  ];
}

/** Where nothing can be refunded, the menu says why. */
function noRefund({ texts: { actions, refused }, role }: Pick<Wanted, 'texts' | 'role'>, wasPaid: boolean): Action {
  const why = wasPaid ? refused.nothingLeft : refused.notPaid;
  return { id: 'refund', name: actions.refund, run: () => {}, refused: role('refunds.create') ?? why };
}

/** What can be done with an invoice in its state; what cannot says why. */
export function InvoiceActions({ whole: { invoice, customer, payments }, refund }: ActionsProps) {
  const texts = useTexts(invoiceTexts);
  const { money } = useFormat();
  const acts = useBillActs(texts.actions);
  const role = useRoleRefusal();
  const [asking, setAsking] = useState<Asking>(null);
  const wanted = { texts, invoice, customer, money, acts, role };
  const isProcessing = payments.some(({ payment }) => payment.status === 'processing');
  const wasPaid = payments.some(({ payment }) => payment.status_transitions.paid_at !== null);
  const actions: Action[] = [
    ...(refund === null ? [noRefund(wanted, wasPaid)] : []),
    ...payingActions(wanted),
    ...statusActions({ ...wanted, isProcessing, ask: setAsking }),
  ];
  return (
    <>
      {acts.trouble !== null && <span role="alert">{acts.trouble}</span>}
      {refund !== null && <Button onPress={refund}>{texts.actions.refund}</Button>}
      {invoice.status === 'open' && role('invoices.checkout') === null && (
        <Button kind="primary" isPending={acts.copyPix.isPending} onPress={() => acts.copyPix.run(invoice.id)}>
          {texts.actions.copyPix}
        </Button>
      )}
      <ActionMenu actions={actions} />
      <Questions invoice={invoice} asking={asking} onClose={() => setAsking(null)} />
    </>
  );
}
