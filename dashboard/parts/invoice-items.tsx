import type { InvoiceItem, InvoiceItemCreate } from '@fatura/sdk';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { useRoleRefusal } from '../api/may.ts';
import { useFatura, useRead } from '../api/queries.ts';
import { useFormat } from '../texts/format.ts';
import { invoiceItemTexts } from '../texts/invoice-items.ts';
import { useTexts } from '../texts/language.tsx';
import { centsOf } from '../texts/numbers.ts';
import { useSharedTexts } from '../texts/shared.ts';
import { useAct } from './act.ts';
import { Button } from './button.tsx';
import { Confirm } from './confirm.tsx';
import { Dialog, FormFoot } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';
import { Choice, errorsByField, Field } from './field.tsx';
import { Money } from './money.tsx';
import { ObjectLink } from './object-link.tsx';
import { Panel } from './page.tsx';
import { Pending } from './pending.tsx';

type Owner = Required<Pick<InvoiceItemCreate, 'subscription_id'>> | Required<Pick<InvoiceItemCreate, 'customer_id'>>;
type Type = InvoiceItem['type'];

/** The highest amount of the API. */
const CENTS_MAX = 999_999;
const ITEMS_MAX = 100;

function NewItemForm({ owner, onClose }: { owner: Owner; onClose: () => void }) {
  const texts = useTexts(invoiceItemTexts);
  const { parts } = useSharedTexts();
  const { money } = useFormat();
  const fatura = useFatura();
  const [type, setType] = useState<Type>('charge');
  const [isWrong, setIsWrong] = useState(false);
  const { run, isPending, error, edited } = useAct(
    (item: InvoiceItemCreate, options) => fatura.invoiceItems.create(item, options),
    { done: texts.saved, onDone: onClose },
  );
  const errors = errorsByField(error, parts.checkField);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const cents = centsOf(String(data.get('amount') ?? ''));
    const isAmount = cents !== null && cents > 0 && cents <= CENTS_MAX;
    setIsWrong(!isAmount);
    if (isAmount) run({ ...owner, type, amount: cents, description: String(data.get('description') ?? '').trim() });
  };
  return (
    <Form className="dialog-body" validationErrors={errors} onSubmit={submit}>
      <Choice
        label={texts.type}
        value={type}
        options={(['charge', 'credit'] as const).map((one) => [one, texts.types[one]] as const)}
        onChange={setType}
      />
      <Field
        label={texts.amount}
        name="amount"
        prefix="R$"
        inputMode="decimal"
        isRequired
        onChange={edited}
        validationBehavior="aria"
        isInvalid={isWrong}
        {...(isWrong && { errorMessage: texts.amountWrong(money(CENTS_MAX)) })}
      />
      <Field
        label={texts.description}
        name="description"
        hint={texts.descriptionHint}
        isRequired
        maxLength={1_000}
        onChange={edited}
      />
      {error !== null && Object.keys(errors).length === 0 && <ErrorNote error={error} />}
      <FormFoot action={texts.save} isPending={isPending} onClose={onClose} />
    </Form>
  );
}

interface WaitingItemProps {
  readonly item: InvoiceItem;
  readonly isOfCustomer: boolean;
  /** Null: it cannot be taken back. */
  readonly undo: (() => void) | null;
}

function WaitingItem({ item, isOfCustomer, undo }: WaitingItemProps) {
  const texts = useTexts(invoiceItemTexts);
  const { type, kind, description, subscription, amount_remaining: left } = item;
  const setting = type === 'charge' && kind in texts.kinds ? texts.kinds[kind as keyof typeof texts.kinds] : null;
  return (
    <li>
      <span>
        {isOfCustomer && subscription !== null ? <ObjectLink id={subscription}>{description}</ObjectLink> : description}{' '}
        <small className="soft">{setting ?? texts.types[type].toLowerCase()}</small>
      </span>
      <span className="actions">
        <Money cents={type === 'credit' ? -left : left} />
        {undo !== null && (
          <Button kind="quiet" aria-label={texts.undoOf(description)} onPress={undo}>
            {texts.undo}
          </Button>
        )}
      </span>
    </li>
  );
}

/** No bill took anything of it yet. */
const isWhole = ({ amount, amount_remaining: left }: InvoiceItem): boolean => amount === left;

function Waiting({ owner, items }: { owner: Owner; items: readonly InvoiceItem[] }) {
  const texts = useTexts(invoiceItemTexts);
  const { money } = useFormat();
  const fatura = useFatura();
  const refused = useRoleRefusal()('invoiceItems.delete');
  const [undoing, setUndoing] = useState<InvoiceItem | null>(null);
  if (items.length === 0) return <p className="soft">{texts.none}</p>;
  return (
    <>
      <ul className="lines" aria-label={texts.title}>
        {items.map((item) => (
          <WaitingItem
            key={item.id}
            item={item}
            isOfCustomer={'customer_id' in owner}
            undo={refused === null && isWhole(item) ? () => setUndoing(item) : null}
          />
        ))}
      </ul>
      <Confirm
        title={texts.undo}
        action={texts.undo}
        act={(options) => fatura.invoiceItems.delete(undoing?.id ?? '', options)}
        done={texts.undone}
        isOpen={undoing !== null}
        onClose={() => setUndoing(null)}
      >
        {undoing !== null && <p>{texts.undoText(money(undoing.amount), undoing.description)}</p>}
      </Confirm>
    </>
  );
}

interface InvoiceItemsProps {
  readonly owner: Owner;
  /** Bills are still to come. */
  readonly isOpen: boolean;
}

/** Charges and credits that wait for the next bill of a subscription or of a customer, and a way to add and undo them. */
export function InvoiceItems({ owner, isOpen }: InvoiceItemsProps) {
  const texts = useTexts(invoiceItemTexts);
  const refused = useRoleRefusal()('invoiceItems.create');
  const [isAdding, setIsAdding] = useState(false);
  const { data, error, refetch } = useRead(['invoiceItems', owner], (fatura, options) =>
    fatura.invoiceItems.list({ ...owner, status: 'pending', limit: ITEMS_MAX }, options).all({ max: ITEMS_MAX }),
  );
  const add = <Button onPress={() => setIsAdding(true)}>{texts.add}</Button>;
  return (
    <Panel title={texts.title} actions={isOpen && refused === null && add}>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {error === null && (data === undefined ? <Pending /> : <Waiting owner={owner} items={data} />)}
      {isOpen && refused !== null && <p className="soft">{refused}</p>}
      <Dialog title={texts.add} isOpen={isAdding} onClose={() => setIsAdding(false)}>
        <NewItemForm owner={owner} onClose={() => setIsAdding(false)} />
      </Dialog>
    </Panel>
  );
}
