import type { PriceCreate, RecurrenceInterval } from '@fatura/sdk';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { useFatura } from '../../api/queries.ts';
import { useAct } from '../../parts/act.ts';
import { Dialog, FormFoot } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Choice, errorsByField, Field, Tick } from '../../parts/field.tsx';
import { useTexts } from '../../texts/language.tsx';
import { centsOf } from '../../texts/numbers.ts';
import { useSharedTexts } from '../../texts/shared.ts';
import { productTexts } from './texts.ts';

interface PriceDialogProps {
  readonly product: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The highest price of the API. */
const CENTS_MAX = 999_999;
const INSTALLMENTS = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const;
const INTERVALS: readonly RecurrenceInterval[] = ['month', 'week', 'day'];

/** What is being written. */
interface Draft {
  readonly type: 'one_time' | 'recurring';
  readonly amount: string;
  readonly interval: RecurrenceInterval;
  readonly count: string;
  readonly name: string;
  readonly hasInstallments: boolean;
  readonly most: string;
}

const BLANK: Draft = {
  type: 'one_time',
  amount: '',
  interval: 'month',
  count: '1',
  name: '',
  hasInstallments: false,
  most: '12',
};

interface Drafting {
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
}

/** Null: the amount is none that the API takes. */
const centsIn = ({ amount }: Draft): number | null => {
  const cents = centsOf(amount);
  return cents !== null && cents <= CENTS_MAX ? cents : null;
};

function priceOf(draft: Draft, product: string, cents: number): PriceCreate {
  const common = {
    product_id: product,
    unit_amount: cents,
    ...(draft.name.trim() !== '' && { description: draft.name.trim() }),
    ...(draft.hasInstallments && { card_installments_enabled: true, max_card_installments: Number(draft.most) }),
  };
  if (draft.type === 'one_time') return { ...common, type: 'one_time' };
  return {
    ...common,
    type: 'recurring',
    recurring: { interval: draft.interval, interval_count: Number(draft.count) },
  };
}

function Period({ draft: { interval, count }, change }: Drafting) {
  const texts = useTexts(productTexts);
  return (
    <div className="filters">
      <Field
        label={texts.every}
        name="recurring.interval_count"
        type="number"
        value={count}
        onChange={(typed) => change({ count: typed })}
        isRequired
      />
      <Choice
        label={texts.unit}
        value={interval}
        options={INTERVALS.map((one) => [one, texts.units[one]] as const)}
        onChange={(taken) => change({ interval: taken })}
      />
    </div>
  );
}

function Installments({ draft: { hasInstallments, most }, change }: Drafting) {
  const texts = useTexts(productTexts);
  return (
    <>
      <Tick isSelected={hasInstallments} onChange={(isSelected) => change({ hasInstallments: isSelected })}>
        {texts.allowInstallments}
      </Tick>
      {hasInstallments && (
        <Choice
          label={texts.mostInstallments}
          value={most}
          options={INSTALLMENTS.map((count) => [String(count), `${count}×`] as const)}
          onChange={(taken) => change({ most: taken })}
        />
      )}
    </>
  );
}

function What({ draft, change, isWrong }: Drafting & { isWrong: boolean }) {
  const texts = useTexts(productTexts);
  return (
    <>
      <Choice
        label={texts.how}
        value={draft.type}
        options={[['one_time', texts.oneTime] as const, ['recurring', texts.recurring] as const]}
        onChange={(type) => change({ type })}
      />
      <Field
        label={texts.amount}
        name="unit_amount"
        prefix="R$"
        inputMode="decimal"
        value={draft.amount}
        onChange={(amount) => change({ amount })}
        isInvalid={isWrong}
        errorMessage={texts.amountWrong}
        autoComplete="off"
        isRequired
      />
      {draft.type === 'recurring' && <Period draft={draft} change={change} />}
      <Field
        label={texts.priceName}
        name="description"
        hint={texts.priceNameHint}
        value={draft.name}
        onChange={(name) => change({ name })}
        maxLength={1_000}
        isRequired={false}
      />
      <Installments draft={draft} change={change} />
    </>
  );
}

function PriceForm({ product, onClose }: Omit<PriceDialogProps, 'isOpen'>) {
  const texts = useTexts(productTexts);
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const [draft, setDraft] = useState(BLANK);
  const [isTried, setTried] = useState(false);
  const { run, isPending, error, edited } = useAct(
    (price: PriceCreate, options) => fatura.prices.create(price, options),
    { done: texts.priceCreated, onDone: onClose },
  );
  const cents = centsIn(draft);
  const change = (changes: Partial<Draft>): void => {
    edited();
    setDraft({ ...draft, ...changes });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (cents !== null) run(priceOf(draft, product, cents));
  };
  return (
    <Form className="stack" onSubmit={submit} validationErrors={errorsByField(error, parts.checkField)}>
      <What draft={draft} change={change} isWrong={isTried && cents === null} />
      <p className="soft">{texts.fixed}</p>
      {error !== null && <ErrorNote error={error} />}
      <FormFoot action={texts.createPrice} isPending={isPending} onClose={onClose} />
    </Form>
  );
}

/** Another price of a product: once, or each period. */
export function PriceDialog(props: PriceDialogProps) {
  const { newPrice } = useTexts(productTexts);
  return (
    <Dialog title={newPrice} isOpen={props.isOpen} onClose={props.onClose}>
      <PriceForm {...props} />
    </Dialog>
  );
}
