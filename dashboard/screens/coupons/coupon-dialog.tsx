import type { Coupon, CouponCreate } from '@fatura/sdk';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { useFatura } from '../../api/queries.ts';
import { useAct } from '../../parts/act.ts';
import { Dialog, FormFoot } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Choice, errorsByField, Field } from '../../parts/field.tsx';
import { useTexts } from '../../texts/language.tsx';
import { centsOf } from '../../texts/numbers.ts';
import { useSharedTexts } from '../../texts/shared.ts';
import { couponTexts } from './texts.ts';

interface CouponDialogProps {
  readonly onDone: (coupon: Coupon) => void;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

type Measure = Coupon['type'];
const BASIS_POINTS_IN_PERCENT = 100;
const BASIS_POINTS_MAX = 10_000;

/** What is taken off; null: it is nothing that the API takes. A percentage is typed as an amount is, with two decimals. */
function takenOff(type: Measure, typed: string): Pick<CouponCreate, 'type'> | null {
  const value = centsOf(typed);
  if (value === null || value === 0) return null;
  if (type === 'fixed') return { type, amount_cents: value } as CouponCreate; // its name comes beside it
  return value > BASIS_POINTS_MAX ? null : ({ type, percentage: value / BASIS_POINTS_IN_PERCENT } as CouponCreate); // as above
}

function couponOf(data: FormData, off: Pick<CouponCreate, 'type'>): CouponCreate {
  const text = (name: string): string => String(data.get(name) ?? '').trim();
  const limits = Object.fromEntries(
    ['cycles', 'max_redemptions'].flatMap((name) => (text(name) === '' ? [] : [[name, Number(text(name))]])),
  );
  return { name: text('name'), ...off, ...limits } as CouponCreate; // one of the two forms
}

function Off({ type, isWrong, edited }: { type: Measure; isWrong: boolean; edited: () => void }) {
  const texts = useTexts(couponTexts);
  const isAmount = type === 'fixed';
  return (
    <Field
      label={isAmount ? texts.amount : texts.percent}
      name={isAmount ? 'amount_cents' : 'percentage'}
      prefix={isAmount ? 'R$' : '%'}
      inputMode="decimal"
      onChange={edited}
      isInvalid={isWrong}
      errorMessage={isAmount ? texts.amountWrong : texts.percentWrong}
      autoComplete="off"
      isRequired
    />
  );
}

function Limits({ edited }: { edited: () => void }) {
  const texts = useTexts(couponTexts);
  return (
    <>
      <Field
        label={texts.cycles}
        name="cycles"
        type="number"
        hint={texts.cyclesHint}
        onChange={edited}
        isRequired={false}
      />
      <Field
        label={texts.most}
        name="max_redemptions"
        type="number"
        hint={texts.mostHint}
        onChange={edited}
        isRequired={false}
      />
    </>
  );
}

function CouponForm({ onDone, onClose }: Omit<CouponDialogProps, 'isOpen'>) {
  const texts = useTexts(couponTexts);
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const [type, setType] = useState<Measure>('percentage');
  const [isWrong, setWrong] = useState(false);
  const { run, isPending, error, edited } = useAct(
    (coupon: CouponCreate, options) => fatura.coupons.create(coupon, options),
    { done: texts.made, onDone },
  );
  const editedOff = (): void => {
    edited();
    setWrong(false);
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const off = takenOff(type, String(data.get(type === 'fixed' ? 'amount_cents' : 'percentage') ?? ''));
    setWrong(off === null);
    if (off !== null) run(couponOf(data, off));
  };
  return (
    <Form className="stack" onSubmit={submit} validationErrors={errorsByField(error, parts.checkField)}>
      <Field label={texts.name} name="name" hint={texts.nameHint} onChange={edited} maxLength={250} isRequired />
      <Choice
        label={texts.how}
        value={type}
        options={[['percentage', texts.percentage] as const, ['fixed', texts.fixed] as const]}
        onChange={setType}
      />
      <Off key={type} type={type} isWrong={isWrong} edited={editedOff} />
      <Limits edited={edited} />
      <p className="soft">{texts.frozen}</p>
      {error !== null && <ErrorNote error={error} />}
      <FormFoot action={texts.create} isPending={isPending} onClose={onClose} />
    </Form>
  );
}

/** Another coupon. */
export function CouponDialog(props: CouponDialogProps) {
  const { newCoupon } = useTexts(couponTexts);
  return (
    <Dialog title={newCoupon} isOpen={props.isOpen} onClose={props.onClose}>
      <CouponForm {...props} />
    </Dialog>
  );
}
