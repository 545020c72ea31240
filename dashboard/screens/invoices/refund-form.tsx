import type { RefundReason } from '@fatura/sdk';
import { type FormEvent, useState } from 'react';
import { Form, Label, Radio, RadioGroup } from 'react-aria-components';
import { limitedRefunds } from '../../../contract/roles.ts';
import { useMembership } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Choice, Field, Tick } from '../../parts/field.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { paymentTexts } from '../../texts/payments.ts';
import { useSharedTexts } from '../../texts/shared.ts';
import { centsToSend, pixWindowEnd, type RefundOrder, refundReasons } from './refund-order.ts';
import { refundTexts } from './refund-texts.ts';
import { type PaymentWithRefund, remainingOf } from './use-invoice.ts';

interface RefundFormProps {
  readonly one: PaymentWithRefund;
  readonly order: RefundOrder;
  readonly change: (changes: Partial<RefundOrder>) => void;
  /** With the cents that are to be returned. */
  readonly next: (cents: number) => void;
  readonly onClose: () => void;
}

/** How long it takes, and until when it can be done. */
function Deadlines({ one: { payment } }: Pick<RefundFormProps, 'one'>) {
  const texts = useTexts(refundTexts);
  const { date } = useFormat();
  const end = pixWindowEnd(payment);
  return (
    <p className="soft">
      {payment.payment_method_type === 'pix' ? texts.pixTime : texts.cardTime}
      {end !== null && ` ${texts.pixWindow(date(end))}`}
    </p>
  );
}

function HowMuch({
  most,
  order,
  change,
  error,
}: Pick<RefundFormProps, 'order' | 'change'> & { most: number; error: string | null }) {
  const texts = useTexts(refundTexts);
  const { money } = useFormat();
  return (
    <>
      <RadioGroup
        className="field"
        value={order.amountText === null ? 'all' : 'part'}
        onChange={(value) => change({ amountText: value === 'all' ? null : '' })}
      >
        <Label>{texts.how}</Label>
        <Radio value="all" className="radio">
          {texts.all(money(most))}
        </Radio>
        <Radio value="part" className="radio">
          {texts.part}
        </Radio>
      </RadioGroup>
      {order.amountText !== null && (
        <Field
          label={texts.amount}
          prefix="R$"
          inputMode="decimal"
          value={order.amountText}
          onChange={(amountText) => change({ amountText })}
          isInvalid={error !== null}
          {...(error !== null && { errorMessage: error })}
          autoFocus
          isRequired
        />
      )}
    </>
  );
}

/** The most that the person may return: what is left, for some roles within the limit of the account. Cents. */
function useMost(one: PaymentWithRefund): number {
  const { role, refund_limit: limit } = useMembership();
  const left = remainingOf(one);
  return limitedRefunds.includes(role) ? Math.max(0, Math.min(left, limit - (one.refund?.amount ?? 0))) : left;
}

/** The first step: how much, why, and what goes with it. */
export function RefundForm({ one, order, change, next, onClose }: RefundFormProps) {
  const texts = useTexts(refundTexts);
  const { refundReasons: names } = useTexts(paymentTexts);
  const { parts } = useSharedTexts();
  const { money } = useFormat();
  const [error, setError] = useState<string | null>(null);
  const left = useMost(one);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const cents = centsToSend(order, left);
    setError(cents === null ? texts.amountWrong(money(left)) : null);
    if (cents !== null) next(cents);
  };
  return (
    <Form className="form" onSubmit={submit} validationBehavior="aria">
      <p>{texts.left(money(left))}</p>
      {left < remainingOf(one) && <p className="note">{texts.limited(money(remainingOf(one)))}</p>}
      <HowMuch most={left} order={order} change={change} error={error} />
      <Choice
        label={texts.reason}
        value={order.reason}
        options={refundReasons.map((reason): readonly [RefundReason, string] => [reason, names[reason]])}
        onChange={(reason) => change({ reason })}
      />
      {one.payment.subscription !== null && (
        <Tick isSelected={order.cancels} onChange={(cancels) => change({ cancels })}>
          {texts.cancelSubscription}
        </Tick>
      )}
      <Tick isSelected={order.tells} onChange={(tells) => change({ tells })}>
        {texts.tellBuyer}
      </Tick>
      <Deadlines one={one} />
      <div className="dialog-foot">
        <Button onPress={onClose}>{parts.cancel}</Button>
        <Button kind="primary" type="submit">
          {texts.next}
        </Button>
      </div>
    </Form>
  );
}
