import type { PaymentIntent } from '@fatura/sdk';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../api/may.ts';
import { useScope } from '../../api/session.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Money } from '../../parts/money.tsx';
import { Facts, Panel } from '../../parts/page.tsx';
import { PaymentStatus, usePaymentMethod } from '../../parts/payment.tsx';
import { When } from '../../parts/when.tsx';
import { useTexts } from '../../texts/language.tsx';
import { paymentTexts } from '../../texts/payments.ts';
import { invoiceTexts } from './texts.ts';
import { type PaymentWithRefund, remainingOf } from './use-invoice.ts';

function Parts({ refund }: Pick<PaymentWithRefund, 'refund'>) {
  const texts = useTexts(paymentTexts);
  if (refund === null) return null;
  return (
    <ul className="lines">
      {refund.parts.map(({ amount, reason, status, created }) => (
        <li key={`${created} ${amount} ${status}`}>
          <span>
            {texts.refundReasons[reason]}
            <small className="soft">
              {' '}
              <When at={created} /> · {texts.refundParts[status]}
            </small>
          </span>
          <Money cents={amount} />
        </li>
      ))}
    </ul>
  );
}

function Payment({ isAsked, ...one }: PaymentWithRefund & { isAsked: boolean }) {
  const texts = useTexts(invoiceTexts);
  const { declines } = useTexts(paymentTexts);
  const methodOf = usePaymentMethod();
  const { payment, refund } = one;
  const { paid_at: paidAt } = payment.status_transitions;
  const isCard = payment.payment_method_type === 'card';
  return (
    <li className={isAsked ? 'payment asked' : 'payment'}>
      <div className="payment-head">
        <strong>
          <Money cents={payment.amount} />
        </strong>
        <span>{methodOf(payment)}</span>
        <PaymentStatus {...payment} />
      </div>
      <Facts
        facts={[
          [texts.paidAt, paidAt !== null && <When at={paidAt} />],
          [texts.created, paidAt === null && <When at={payment.created} />],
          [texts.declined, payment.decline_reason !== null && declines[payment.decline_reason]],
          [texts.attempts, isCard && texts.attemptsOf(payment.attempts, payment.max_attempts)],
          [texts.nextAttempt, payment.next_attempt !== null && <When at={payment.next_attempt} />],
          [texts.refundParts, refund !== null && <Parts refund={refund} />],
          [texts.left, refund !== null && <Money cents={remainingOf(one)} />],
          [texts.id, <Copyable key="id" text={payment.id} name={texts.paymentId} />],
        ]}
      />
      <Simulate {...payment} />
    </li>
  );
}

/** Leads to the bank of the sandbox, which does with a PIX what one says. */
function Simulate({ id, payment_method_type: method }: PaymentIntent) {
  const texts = useTexts(invoiceTexts);
  const { mode } = useScope();
  const may = useMay();
  if (mode === 'live' || method !== 'pix' || !may('testHelpers.paymentIntents.payPix')) return null;
  return (
    <p>
      <Link to="/developer/sandbox" search={{ payment: id }}>
        {texts.simulate}
      </Link>
    </p>
  );
}

/** Every payment of an invoice, newest first. */
export function Payments({ payments, asked }: { payments: readonly PaymentWithRefund[]; asked: string | undefined }) {
  const texts = useTexts(invoiceTexts);
  return (
    <Panel title={texts.payments}>
      {payments.length === 0 && <p className="soft">{texts.noPayments}</p>}
      <ul className="payments">
        {payments.map((one) => (
          <Payment key={one.payment.id} {...one} isAsked={payments.length > 1 && one.payment.id === asked} />
        ))}
      </ul>
    </Panel>
  );
}
