import { isFaturaError } from '@fatura/sdk';
import { useState } from 'react';
import { useFatura, useRefresh } from '../../api/queries.ts';
import { useAct } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { firstName, whatsAppUrl } from '../../parts/open-beside.ts';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { maskedTaxId } from '../../texts/numbers.ts';
import { useSharedTexts } from '../../texts/shared.ts';
import { RefundForm } from './refund-form.tsx';
import { NEW_ORDER, type RefundOrder, type RefundOutcome, type SentRefund, sendRefund } from './refund-order.ts';
import { refundTexts } from './refund-texts.ts';
import { type PaymentWithRefund, remainingOf, type WholeInvoice } from './use-invoice.ts';

interface RefundDialogProps {
  readonly whole: WholeInvoice;
  /** Null: nothing is being refunded. */
  readonly refunding: PaymentWithRefund | null;
  readonly onClose: () => void;
}

type StepsProps = RefundDialogProps & { readonly refunding: PaymentWithRefund };

const personOf = ({ customer: { name, identifier } }: WholeInvoice): string =>
  identifier === null ? name : `${name} (${maskedTaxId(identifier)})`;

/** Tells the buyer in the person's own e-mail or WhatsApp: the text stands there already. */
function Tell({ whole: { customer }, refunding: { payment }, sent }: StepsProps & { sent: SentRefund }) {
  const texts = useTexts(refundTexts);
  const { money } = useFormat();
  const time = payment.payment_method_type === 'pix' ? texts.pixMessage : texts.cardMessage;
  const message = texts.message(firstName(customer.name), money(sent.amount), time);
  return (
    <div className="stack">
      <p>{texts.tell}</p>
      <p className="note">{message}</p>
      <div className="actions">
        {customer.email !== null && (
          <a
            className="button secondary"
            href={`mailto:${customer.email}?subject=${encodeURIComponent(texts.subject)}&body=${encodeURIComponent(message)}`}
          >
            {texts.byEmail}
          </a>
        )}
        {customer.phone !== null && (
          <a
            className="button secondary"
            href={whatsAppUrl(customer.phone, message)}
            target="_blank"
            rel="noopener noreferrer"
          >
            {texts.byWhatsApp}
          </a>
        )}
        <Copyable text={message} shown="" name={texts.theMessage} />
      </div>
    </div>
  );
}

/** What somebody else did meanwhile, and what is left now. */
function Changed({ left }: { left: number }) {
  const texts = useTexts(refundTexts);
  const { money } = useFormat();
  return (
    <p className="note warn" role="alert">
      {left > 0 ? texts.changed(money(left)) : texts.nothingLeft}
    </p>
  );
}

interface CheckProps {
  readonly whole: WholeInvoice;
  /** Kept as the person saw it, whatever is read anew meanwhile: a repeat is the same request. */
  readonly sent: SentRefund;
  readonly act: ReturnType<typeof useRefund>;
  readonly back: () => void;
}

/** The last step says in one sentence what happens, and does it. */
function Check({ whole, sent, act: { run, isPending, error }, back }: CheckProps) {
  const texts = useTexts(refundTexts);
  const { parts } = useSharedTexts();
  const { money } = useFormat();
  const sentence = texts.sentence(money(sent.amount), personOf(whole));
  return (
    <div className="stack">
      <p>{texts.check}</p>
      <p className="sentence">{sentence}</p>
      {sent.subscription !== null && <p>{texts.alsoCancel}</p>}
      {error !== null && <ErrorNote error={error} />}
      <div className="dialog-foot">
        <Button onPress={back}>{texts.back}</Button>
        <Button kind="danger" isPending={isPending} onPress={() => run(sent)} autoFocus>
          {isPending ? parts.working : texts.action(money(sent.amount))}
        </Button>
      </div>
    </div>
  );
}

interface DoneProps extends StepsProps {
  readonly outcome: RefundOutcome;
  readonly tells: boolean;
}

/** The money is on its way: what else there is to do. */
function Done({ outcome: { sent, cancelError }, tells, ...props }: DoneProps) {
  const texts = useTexts(refundTexts);
  const fatura = useFatura();
  const cancel = useAct((id: string) => fatura.subscriptions.cancel(id), {
    done: texts.canceled,
    onDone: props.onClose,
  });
  const error = cancel.error ?? cancelError;
  return (
    <>
      {error !== null && sent.subscription !== null && (
        <ErrorNote error={error} retry={() => cancel.run(sent.subscription ?? '')}>
          {texts.notCanceled}
        </ErrorNote>
      )}
      {tells && <Tell {...props} sent={sent} />}
      <div className="dialog-foot">
        <Button onPress={props.onClose}>{texts.close}</Button>
      </div>
    </>
  );
}

type Step =
  | { readonly kind: 'form' }
  | { readonly kind: 'check'; readonly sent: SentRefund }
  | { readonly kind: 'done'; readonly outcome: RefundOutcome };

/** Sends it; `changed` hears that less is left than was seen, and that nothing was returned. */
function useRefund(done: (outcome: RefundOutcome) => void, changed: () => void) {
  const fatura = useFatura();
  const texts = useTexts(refundTexts);
  const { money } = useFormat();
  return useAct((sent: SentRefund, options) => sendRefund(fatura, sent, options), {
    done: ({ sent }) => texts.done(money(sent.amount)),
    onDone: done,
    onError: (error) => {
      if (isFaturaError(error, 'REMAINING_CHANGED')) changed();
    },
  });
}

function Steps(props: StepsProps) {
  const { whole, refunding, onClose } = props;
  const refresh = useRefresh();
  const [order, setOrder] = useState<RefundOrder>(NEW_ORDER);
  const [step, setStep] = useState<Step>({ kind: 'form' });
  const [hasChanged, setChanged] = useState(false);
  // What is left is read anew, under the open window.
  const now = whole.payments.find(({ payment }) => payment.id === refunding.payment.id) ?? refunding;
  const left = remainingOf(now);
  const changed = (): void => {
    setChanged(true);
    setStep({ kind: 'form' });
    void refresh();
  };
  const done = (outcome: RefundOutcome): void => {
    if (order.tells || outcome.cancelError !== null) setStep({ kind: 'done', outcome });
    else onClose();
  };
  const act = useRefund(done, changed);
  const next = (amount: number): void => {
    act.reset();
    const { id, subscription } = now.payment;
    const sent = { payment: id, amount, left, reason: order.reason, subscription: order.cancels ? subscription : null };
    setStep({ kind: 'check', sent });
  };
  if (step.kind === 'done') return <Done {...props} outcome={step.outcome} tells={order.tells} />;
  if (step.kind === 'check')
    return <Check whole={whole} sent={step.sent} act={act} back={() => setStep({ kind: 'form' })} />;
  const change = (changes: Partial<RefundOrder>): void => setOrder({ ...order, ...changes });
  return (
    <>
      {hasChanged && <Changed left={left} />}
      {left > 0 && <RefundForm one={now} order={order} change={change} next={next} onClose={onClose} />}
    </>
  );
}

/** Returns money of a payment: how much and why, then one sentence to agree to. */
export function RefundDialog(props: RefundDialogProps) {
  const { title } = useTexts(refundTexts);
  const { refunding, onClose } = props;
  return (
    <Dialog title={title} isOpen={refunding !== null} onClose={onClose}>
      {refunding !== null && <Steps {...props} refunding={refunding} />}
    </Dialog>
  );
}
