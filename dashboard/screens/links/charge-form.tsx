import { type CalendarDate, parseDate } from '@internationalized/date';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { useMay } from '../../api/may.ts';
import { useFatura } from '../../api/queries.ts';
import { useAct } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { DayField, endOfDay } from '../../parts/day-field.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Choice, errorsByField, Field } from '../../parts/field.tsx';
import { Panel } from '../../parts/page.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { centsOf } from '../../texts/numbers.ts';
import { useSharedTexts } from '../../texts/shared.ts';
import { BuyerFields } from './buyer-fields.tsx';
import { type Buyer, CENTS_MAX, type ChargeMade, type ChargeOrder, makeCharge, type Offer } from './charge-order.ts';
import { linkTexts } from './texts.ts';

interface ChargeFormProps {
  /** Who was chosen before the form was opened. */
  readonly buyer: Buyer;
  readonly offers: readonly Offer[];
  readonly today: CalendarDate;
  readonly onMade: (made: ChargeMade) => void;
}

/** As invoices of the API are. */
const DUE_DAYS = 3;
/** The API takes 365 days from now, and a day is over at its end. */
const DAYS_MAX = 364;
/** The value of the choice of another amount. */
const OWN = '';

/** What the form says so far. */
function useDraft({ buyer: before, offers, today }: Omit<ChargeFormProps, 'onMade'>) {
  const may = useMay();
  const [buyer, setBuyer] = useState(before);
  const [priceId, setPriceId] = useState(may('prices.create') ? OWN : (offers[0]?.priceId ?? OWN));
  const [amount, setAmount] = useState('');
  const [description, setDescription] = useState('');
  const [day, setDay] = useState(today.add({ days: DUE_DAYS }).toString());
  const cents = centsOf(amount);
  const isAmountRight = priceId !== OWN || (cents !== null && cents >= 1 && cents <= CENTS_MAX);
  const order = (): ChargeOrder => ({
    buyer,
    charged: priceId === OWN ? { cents: cents ?? 0 } : { priceId },
    description: description.trim(),
    dueAt: endOfDay(parseDate(day)),
  });
  const setters = { setBuyer, setPriceId, setAmount, setDescription, setDay };
  return { buyer, priceId, amount, description, day, isAmountRight, order, ...setters };
}

type Draft = ReturnType<typeof useDraft>;

interface WhatProps {
  readonly offers: readonly Offer[];
  readonly draft: Draft;
  readonly isWrong: boolean;
}

function What({ offers, draft: { priceId, setPriceId, amount, setAmount }, isWrong }: WhatProps) {
  const texts = useTexts(linkTexts);
  const { money } = useFormat();
  const may = useMay();
  const sold = offers.map((offer) => [offer.priceId, `${offer.name} – ${money(offer.cents)}`] as const);
  const options = may('prices.create') ? [[OWN, texts.ownAmount] as const, ...sold] : sold;
  if (options.length === 0) return <p className="note warn">{texts.noPrices}</p>;
  return (
    <>
      {sold.length > 0 && <Choice label={texts.what} value={priceId} options={options} onChange={setPriceId} />}
      {priceId === OWN && (
        <Field
          label={texts.amount}
          name="amount"
          prefix="R$"
          inputMode="decimal"
          value={amount}
          onChange={setAmount}
          isInvalid={isWrong}
          errorMessage={texts.amountWrong}
          autoComplete="off"
          isRequired
        />
      )}
    </>
  );
}

function Rest({ draft, today }: { draft: Draft; today: CalendarDate }) {
  const texts = useTexts(linkTexts);
  return (
    <>
      <DayField
        label={texts.due}
        name="due_at"
        value={draft.day}
        onChange={draft.setDay}
        min={today}
        max={today.add({ days: DAYS_MAX })}
      />
      <Field
        label={texts.description}
        name="description"
        hint={texts.descriptionHint}
        value={draft.description}
        onChange={draft.setDescription}
        maxLength={1_000}
        isRequired={false}
      />
    </>
  );
}

/** Who, how much and until when: all that a charge needs. */
export function ChargeForm(props: ChargeFormProps) {
  const texts = useTexts(linkTexts);
  const { parts } = useSharedTexts();
  const { money } = useFormat();
  const fatura = useFatura();
  const draft = useDraft(props);
  const [isTried, setTried] = useState(false);
  const { run, isPending, error, edited } = useAct(
    (order: ChargeOrder, options) => makeCharge(fatura, order, options),
    {
      done: ({ invoice }) => texts.charged(money(invoice.total)),
      onDone: props.onMade,
    },
  );
  const write = (buyer: Buyer): void => {
    edited();
    draft.setBuyer(buyer);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (draft.isAmountRight) run(draft.order());
  };
  return (
    <Form className="form" onSubmit={submit} validationErrors={errorsByField(error, parts.checkField)}>
      <Panel title={texts.who}>
        <BuyerFields buyer={draft.buyer} onChange={write} />
      </Panel>
      <Panel title={texts.what}>
        <What offers={props.offers} draft={draft} isWrong={isTried && !draft.isAmountRight} />
        <Rest draft={draft} today={props.today} />
      </Panel>
      {error !== null && <ErrorNote error={error} />}
      <Button kind="primary" type="submit" isPending={isPending}>
        {isPending ? parts.working : texts.charge}
      </Button>
    </Form>
  );
}
