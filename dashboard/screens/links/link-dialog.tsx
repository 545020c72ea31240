import type { PaymentLink, PaymentLinkCreate } from '@fatura/sdk';
import { parseDate } from '@internationalized/date';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { useFatura } from '../../api/queries.ts';
import { useAct } from '../../parts/act.ts';
import { DayField, endOfDay } from '../../parts/day-field.tsx';
import { Dialog, FormFoot } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Choice, errorsByField, Field, Tick } from '../../parts/field.tsx';
import { useToday } from '../../parts/period.ts';
import { useTexts } from '../../texts/language.tsx';
import { centsOf } from '../../texts/numbers.ts';
import { useSharedTexts } from '../../texts/shared.ts';
import { CENTS_MAX } from './charge-order.ts';
import { paymentLinkTexts } from './link-texts.ts';
import { linkTexts } from './texts.ts';
import { usePriceName, useSoldPrices } from './use-link-words.ts';

interface LinkDialogProps {
  readonly onDone: (link: PaymentLink) => void;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The value of the choice of an amount. */
const OWN = '';
/** Ahead of today, as the browser's field offers days. */
const YEARS_MAX = 5;

/** What is asked for; null: its amount is none that the API takes. */
function linkOf(
  data: FormData,
  { priceId, allowsCodes }: { priceId: string; allowsCodes: boolean },
): PaymentLinkCreate | null {
  const text = (name: string): string => String(data.get(name) ?? '').trim();
  const [most, day, trial] = [text('max_sales'), text('expires_at'), text('subscription.trial.days')];
  const rest = {
    ...(most !== '' && { max_sales: Number(most) }),
    ...(day !== '' && { expires_at: endOfDay(parseDate(day)) }),
    ...(allowsCodes && { allow_promotion_codes: true }),
    ...(trial !== '' && { subscription: { trial: { days: Number(trial) } } }),
  };
  if (priceId !== OWN) return { line_items: [{ price_id: priceId, quantity: 1 }], ...rest };
  const amount = centsOf(text('amount'));
  if (amount === null || amount < 1 || amount > CENTS_MAX) return null;
  return { amount, description: text('description'), ...rest };
}

function OwnAmount({ isWrong, edited }: { isWrong: boolean; edited: () => void }) {
  const texts = useTexts(paymentLinkTexts);
  return (
    <>
      <Field
        label={texts.description}
        name="description"
        hint={texts.descriptionHint}
        onChange={edited}
        maxLength={250}
        isRequired
      />
      <Field
        label={texts.amount}
        name="amount"
        prefix="R$"
        inputMode="decimal"
        onChange={edited}
        isInvalid={isWrong}
        errorMessage={texts.amountWrong}
        autoComplete="off"
        isRequired
      />
    </>
  );
}

interface LimitsProps {
  readonly isRecurring: boolean;
  readonly allowsCodes: boolean;
  readonly allowCodes: (isAllowed: boolean) => void;
  readonly edited: () => void;
}

/** How often and until when it sells, and on which terms. */
function Limits({ isRecurring, allowsCodes, allowCodes, edited }: LimitsProps) {
  const texts = useTexts(paymentLinkTexts);
  const today = useToday();
  const [day, setDay] = useState('');
  return (
    <>
      {isRecurring && (
        <Field
          label={texts.trialDays}
          name="subscription.trial.days"
          type="number"
          hint={texts.trialHint}
          onChange={edited}
          isRequired={false}
        />
      )}
      <Field
        label={texts.most}
        name="max_sales"
        type="number"
        hint={texts.mostHint}
        onChange={edited}
        isRequired={false}
      />
      {today !== undefined && (
        <DayField
          label={texts.ends}
          name="expires_at"
          value={day}
          onChange={setDay}
          min={today}
          max={today.add({ years: YEARS_MAX })}
          hint={texts.endsHint}
          isOptional
        />
      )}
      <Tick isSelected={allowsCodes} onChange={allowCodes}>
        {texts.codes}
      </Tick>
    </>
  );
}

function LinkForm({ onDone, onClose }: Omit<LinkDialogProps, 'isOpen'>) {
  const texts = useTexts(paymentLinkTexts);
  const { what } = useTexts(linkTexts);
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const nameOf = usePriceName();
  const { data: prices = [] } = useSoldPrices();
  const [priceId, setPriceId] = useState(OWN);
  const [allowsCodes, allowCodes] = useState(false);
  const [isWrong, setWrong] = useState(false);
  const { run, isPending, error, edited } = useAct(
    (link: PaymentLinkCreate, options) => fatura.paymentLinks.create(link, options),
    { done: texts.made, onDone },
  );
  const changed = (): void => {
    edited();
    setWrong(false);
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const link = linkOf(new FormData(event.currentTarget), { priceId, allowsCodes });
    setWrong(link === null);
    if (link !== null) run(link);
  };
  const options = [[OWN, texts.ownAmount] as const, ...prices.map((price) => [price.id, nameOf(price)] as const)];
  return (
    <Form className="stack" onSubmit={submit} validationErrors={errorsByField(error, parts.checkField)}>
      {prices.length > 0 && <Choice label={what} value={priceId} options={options} onChange={setPriceId} />}
      {priceId === OWN && <OwnAmount isWrong={isWrong} edited={changed} />}
      <Limits
        isRecurring={prices.find(({ id }) => id === priceId)?.recurring !== undefined}
        allowsCodes={allowsCodes}
        allowCodes={allowCodes}
        edited={changed}
      />
      <p className="soft">{texts.frozen}</p>
      {error !== null && <ErrorNote error={error} />}
      <FormFoot action={texts.create} isPending={isPending} onClose={onClose} />
    </Form>
  );
}

/** Another payment link. */
export function LinkDialog(props: LinkDialogProps) {
  const { newLink } = useTexts(paymentLinkTexts);
  return (
    <Dialog title={newLink} isOpen={props.isOpen} onClose={props.onClose}>
      <LinkForm {...props} />
    </Dialog>
  );
}
