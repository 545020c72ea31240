import type { PaymentLink, PaymentLinkCreate } from '@fatura/sdk';
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

/** What is asked for; null: its amount is none that the API takes. */
function linkOf(data: FormData, priceId: string): PaymentLinkCreate | null {
  const text = (name: string): string => String(data.get(name) ?? '').trim();
  const limit = text('max_sales') === '' ? {} : { max_sales: Number(text('max_sales')) };
  if (priceId !== OWN) return { line_items: [{ price_id: priceId, quantity: 1 }], ...limit };
  const amount = centsOf(text('amount'));
  if (amount === null || amount < 1 || amount > CENTS_MAX) return null;
  return { amount, description: text('description'), ...limit };
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

function LinkForm({ onDone, onClose }: Omit<LinkDialogProps, 'isOpen'>) {
  const texts = useTexts(paymentLinkTexts);
  const { what } = useTexts(linkTexts);
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const nameOf = usePriceName();
  const { data: prices = [] } = useSoldPrices();
  const [priceId, setPriceId] = useState(OWN);
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
    const link = linkOf(new FormData(event.currentTarget), priceId);
    setWrong(link === null);
    if (link !== null) run(link);
  };
  const options = [[OWN, texts.ownAmount] as const, ...prices.map((price) => [price.id, nameOf(price)] as const)];
  return (
    <Form className="stack" onSubmit={submit} validationErrors={errorsByField(error, parts.checkField)}>
      {prices.length > 0 && <Choice label={what} value={priceId} options={options} onChange={setPriceId} />}
      {priceId === OWN && <OwnAmount isWrong={isWrong} edited={changed} />}
      <Field
        label={texts.most}
        name="max_sales"
        type="number"
        hint={texts.mostHint}
        onChange={changed}
        isRequired={false}
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
