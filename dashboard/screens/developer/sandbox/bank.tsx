import type { DisputeBody, DisputeScenario, Fatura, PaymentIntent, PixScenario } from '@fatura/sdk';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { useRoleRefusal } from '../../../api/may.ts';
import { useFatura } from '../../../api/queries.ts';
import { type SendOptions, useAct } from '../../../parts/act.ts';
import { Button } from '../../../parts/button.tsx';
import { ErrorNote } from '../../../parts/error-note.tsx';
import { Choice, Field } from '../../../parts/field.tsx';
import { Panel } from '../../../parts/page.tsx';
import { useSetFilters } from '../../../parts/use-filters.ts';
import { useTexts } from '../../../texts/language.tsx';
import { centsOf } from '../../../texts/numbers.ts';
import { useSharedTexts } from '../../../texts/shared.ts';
import { sandboxTexts } from './texts.ts';

const route = getRouteApi('/frame/developer/sandbox');

const PAYMENT = /^(?:pi|in)_[0-9a-z]{26}$/;
const PAYMENTS_MAX = 100;

/** What is wrong with what was written, which no code of the service says. */
class Unfit extends Error {}

/** The payment of an id: itself, or the newest one by PIX of an invoice. */
async function paymentOf(fatura: Fatura, id: string, noPayment: string): Promise<string> {
  if (id.startsWith('pi_')) return id;
  const payments = await fatura.paymentIntents.list({ invoice_id: id, limit: PAYMENTS_MAX }).all({ max: PAYMENTS_MAX });
  const byPix = payments.find(({ payment_method_type: method }) => method === 'pix');
  if (byPix === undefined) throw new Unfit(noPayment);
  return byPix.id;
}

interface ActProps {
  readonly id: string;
}

/** What a helper did to a payment: said once, with the way to its invoice. */
function useHelper<I>(done: string, ask: (id: string, input: I, options: SendOptions) => PromiseLike<PaymentIntent>) {
  const texts = useTexts(sandboxTexts);
  const fatura = useFatura();
  const [paid, setPaid] = useState<PaymentIntent | null>(null);
  const act = useAct(
    async ({ id, input }: { id: string; input: I }, options) => {
      if (!PAYMENT.test(id)) throw new Unfit(texts.wrongId);
      return ask(await paymentOf(fatura, id, texts.noPayment), input, options);
    },
    { onDone: setPaid },
  );
  const trouble = act.error !== null && (
    <ErrorNote error={act.error}>{act.error instanceof Unfit ? act.error.message : undefined}</ErrorNote>
  );
  const outcome = paid !== null && act.error === null && (
    <p role="status">
      {done}{' '}
      <Link to="/invoices/$id" params={{ id: paid.invoice }} search={{ payment: paid.id }}>
        {texts.seeInvoice}
      </Link>
    </p>
  );
  return { ...act, feedback: trouble || outcome };
}

const pixScenarios = ['paid', 'paid_twice', 'paid_late', 'confirmed_not_settled'] as const satisfies PixScenario[];

function PayPix({ id }: ActProps) {
  const texts = useTexts(sandboxTexts);
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const [scenario, setScenario] = useState<PixScenario>('paid');
  const { run, isPending, feedback } = useHelper(texts.paid, (payment, input: PixScenario, options) =>
    fatura.testHelpers.paymentIntents.payPix(payment, { scenario: input }, options),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    run({ id, input: scenario });
  };
  return (
    <Form className="form" onSubmit={submit}>
      <h3>{texts.payPix}</h3>
      <Choice
        label={texts.scenario}
        value={scenario}
        options={pixScenarios.map((one) => [one, texts.pix[one]] as const)}
        onChange={setScenario}
      />
      {feedback}
      <Button type="submit" isPending={isPending}>
        {isPending ? parts.working : texts.pay}
      </Button>
    </Form>
  );
}

const disputeScenarios = [
  'fraud',
  'operational_error',
  'automatic_debit',
  'returned_at_bank',
  'reversed',
] as const satisfies DisputeScenario[];

/** The order of a person; null where the amount is none. */
function disputeOf(scenario: DisputeScenario, amount: string): DisputeBody | null {
  if (scenario === 'reversed' || amount.trim() === '') return { scenario };
  const cents = centsOf(amount);
  return cents === null || cents === 0 ? null : { scenario, amount: cents };
}

function Dispute({ id }: ActProps) {
  const texts = useTexts(sandboxTexts);
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const [scenario, setScenario] = useState<DisputeScenario>('fraud');
  const [amount, setAmount] = useState('');
  const [isWrong, setWrong] = useState(false);
  const { run, isPending, feedback } = useHelper(texts.taken, (payment, input: DisputeBody, options) =>
    fatura.testHelpers.paymentIntents.dispute(payment, input, options),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const input = disputeOf(scenario, amount);
    setWrong(input === null);
    if (input !== null) run({ id, input });
  };
  return (
    <Form className="form" onSubmit={submit} validationBehavior="aria">
      <h3>{texts.dispute}</h3>
      <Choice
        label={texts.scenario}
        value={scenario}
        options={disputeScenarios.map((one) => [one, texts.disputes[one]] as const)}
        onChange={setScenario}
      />
      {scenario !== 'reversed' && (
        <Field
          label={texts.amount}
          prefix="R$"
          inputMode="decimal"
          hint={texts.amountHint}
          value={amount}
          onChange={setAmount}
          isInvalid={isWrong}
          {...(isWrong && { errorMessage: texts.amountWrong })}
          isRequired={false}
        />
      )}
      {feedback}
      <Button type="submit" isPending={isPending}>
        {isPending ? parts.working : texts.take}
      </Button>
    </Form>
  );
}

/** What buyers and banks do, on demand. */
export function Bank() {
  const texts = useTexts(sandboxTexts);
  const { payment = '' } = route.useSearch();
  const setFilters = useSetFilters();
  const [id, setId] = useState(payment);
  const refused = useRoleRefusal()('testHelpers.paymentIntents.payPix');
  if (refused !== null) {
    return (
      <Panel title={texts.bank}>
        <p className="soft">{refused}</p>
      </Panel>
    );
  }
  const wanted = id.trim();
  return (
    <Panel title={texts.bank}>
      <Field
        label={texts.payment}
        hint={texts.paymentHint}
        value={id}
        onChange={setId}
        onBlur={() => setFilters({ payment: wanted === '' ? undefined : wanted })}
      />
      <div className="halves">
        <PayPix id={wanted} />
        <Dispute id={wanted} />
      </div>
    </Panel>
  );
}
