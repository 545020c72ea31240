import type { ChangePreview, Fatura, RequestOptions, Subscription, SubscriptionChangeInput } from '@fatura/sdk';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { useFatura, useRead } from '../../api/queries.ts';
import { useAct } from '../../parts/act.ts';
import { BillLines } from '../../parts/bill-lines.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog, FormFoot } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Choice, errorsByField, Field } from '../../parts/field.tsx';
import { Money } from '../../parts/money.tsx';
import { Pending } from '../../parts/pending.tsx';
import { usePriceText } from '../../parts/subscription.tsx';
import { When } from '../../parts/when.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { changeTexts } from './change-texts.ts';

/** A plan to change to. */
interface Plan {
  readonly name: string;
  readonly price: Pick<Subscription['item']['price'], 'id' | 'unit_amount' | 'interval' | 'interval_count'>;
}

const PLANS_MAX = 100;

/** What recurs and is sold, and what the items of a subscription are of, which may be sold no more. */
async function readPlans(
  fatura: Fatura,
  { items }: Pick<Subscription, 'items'>,
  options: RequestOptions,
): Promise<Plan[]> {
  const [prices, products] = await Promise.all([
    fatura.prices.list({ type: 'recurring', active: true, limit: PLANS_MAX }, options).page(),
    fatura.products.list({ limit: PLANS_MAX }, options).page(),
  ]);
  const names = new Map(products.data.map(({ id, name }) => [id, name]));
  const sold = prices.data.flatMap((price) => (price.type === 'recurring' ? [{ ...price, ...price.recurring }] : []));
  const kept = items.data.map(({ price }) => price).filter(({ id }) => !sold.some((price) => price.id === id));
  return [...kept, ...sold].map((price) => ({ name: names.get(price.product) ?? price.product, price }));
}

/** Where the service names it. */
const QUANTITY = 'items[0].quantity';

/** What is chosen. */
interface Draft {
  readonly item: string;
  readonly price: string;
  readonly quantity: string;
  readonly effective: 'now' | 'period_end';
  readonly proration: 'next_invoice' | 'invoice_now' | 'none';
}

/** What is no number is sent as it is, so that the service says what it wants. */
const inputOf = ({ item, price, quantity, effective, proration }: Draft): SubscriptionChangeInput => ({
  items: [{ item, price_id: price, quantity: Number(quantity) }],
  effective,
  ...(effective === 'now' && { proration }),
});

interface StepProps {
  readonly subscription: Subscription;
  readonly draft: Draft;
  readonly onClose: () => void;
}

type Set = <K extends keyof Draft>(key: K, value: Draft[K]) => void;

interface WhichItemProps {
  readonly items: Subscription['items']['data'];
  readonly draft: Draft;
  readonly choose: (draft: Draft) => void;
}

/** Of several items the one that changes, which begins as it is. */
function WhichItem({ items, draft, choose }: WhichItemProps) {
  const texts = useTexts(changeTexts);
  const priceText = usePriceText();
  const take = (id: string): void => {
    const item = items.find((one) => one.id === id);
    if (item !== undefined) choose({ ...draft, item: id, price: item.price.id, quantity: String(item.quantity) });
  };
  const options = items.map((item) => [item.id, priceText(item)] as const);
  return <Choice label={texts.item} value={draft.item} options={options} onChange={take} />;
}

/** When it holds from, and what becomes of the rest of the period. */
function WhenAndHow({ draft: { effective, proration }, set }: { draft: Draft; set: Set }) {
  const texts = useTexts(changeTexts);
  return (
    <>
      <Choice
        label={texts.effective}
        value={effective}
        options={[
          ['now', texts.now],
          ['period_end', texts.periodEnd],
        ]}
        onChange={(moment) => set('effective', moment)}
      />
      {effective === 'now' && (
        <Choice
          label={texts.proration}
          value={proration}
          options={[
            ['next_invoice', texts.nextInvoice],
            ['invoice_now', texts.invoiceNow],
            ['none', texts.none],
          ]}
          onChange={(way) => set('proration', way)}
        />
      )}
    </>
  );
}

function Choosing({
  plans,
  draft,
  edit,
  onShown,
  ...props
}: StepProps & {
  plans: readonly Plan[];
  edit: (draft: Draft) => void;
  onShown: (preview: ChangePreview) => void;
}) {
  const texts = useTexts(changeTexts);
  const { parts } = useSharedTexts();
  const priceText = usePriceText();
  const fatura = useFatura();
  const { subscription, onClose } = props;
  const { run, isPending, error, edited } = useAct(
    (input: SubscriptionChangeInput) => fatura.subscriptionChanges.preview(subscription.id, input),
    { onDone: onShown },
  );
  const choose = (next: Draft): void => {
    edited();
    edit(next);
  };
  const set: Set = (key, value) => choose({ ...draft, [key]: value });
  const items = subscription.items.data;
  const errors = errorsByField(error, parts.checkField);
  const isOfField = Object.keys(errors).some((name) => name === QUANTITY);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    run(inputOf(draft));
  };
  return (
    <Form className="dialog-body" validationErrors={errors} onSubmit={submit}>
      {items.length > 1 && <WhichItem items={items} draft={draft} choose={choose} />}
      <Choice
        label={texts.price}
        value={draft.price}
        options={plans.map(({ name, price }) => [price.id, `${name} – ${priceText({ quantity: 1, price })}`] as const)}
        onChange={(price) => set('price', price)}
      />
      <Field
        label={texts.quantity}
        name={QUANTITY}
        inputMode="numeric"
        isRequired
        value={draft.quantity}
        hint={texts.quantityHint}
        onChange={(quantity) => set('quantity', quantity)}
      />
      <WhenAndHow draft={draft} set={set} />
      {error !== null && !isOfField && <ErrorNote error={error} />}
      <FormFoot action={texts.check} isPending={isPending} onClose={onClose} />
    </Form>
  );
}

function Sums({ preview }: { preview: ChangePreview }) {
  const texts = useTexts(changeTexts);
  const { date } = useFormat();
  const { charge, credit, due_now: dueNow, next_invoice: next } = preview;
  return (
    <>
      <p>
        {texts.holdsFrom} <When at={preview.effective_at} as="date" />
      </p>
      <ul className="lines">
        {charge > 0 && (
          <li>
            <span>{texts.charge}</span>
            <Money cents={charge} />
          </li>
        )}
        {credit > 0 && (
          <li className="soft">
            <span>{texts.credit}</span>
            <Money cents={-credit} />
          </li>
        )}
        <li>
          <strong>{texts.dueNow}</strong>
          <Money cents={dueNow} />
        </li>
      </ul>
      <h3>{texts.nextOf(date(next.period_start))}</h3>
      <BillLines bill={next} label={texts.next} />
      <ul className="lines sums">
        <li>
          <span>{texts.next}</span>
          <Money cents={next.total} />
        </li>
      </ul>
    </>
  );
}

/** What it comes to is asked for once more as it is done: where it comes to another by then, nothing is. */
function Confirming({
  subscription,
  draft,
  preview,
  onBack,
  onClose,
}: StepProps & { preview: ChangePreview; onBack: () => void }) {
  const texts = useTexts(changeTexts);
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const said = { applied: texts.changed, scheduled: texts.scheduled, awaiting_payment: texts.awaiting };
  const { run, isPending, error } = useAct(
    (input: SubscriptionChangeInput, options) => fatura.subscriptionChanges.create(subscription.id, input, options),
    {
      done: ({ status }) => (status in said ? said[status as keyof typeof said] : texts.changed),
      onDone: onClose,
    },
  );
  return (
    <>
      <div className="dialog-body">
        <Sums preview={preview} />
        {error !== null && <ErrorNote error={error} />}
      </div>
      <div className="dialog-foot">
        <Button onPress={onBack}>{texts.back}</Button>
        <Button
          kind="primary"
          isPending={isPending}
          onPress={() => run({ ...inputOf(draft), expected_total: preview.total })}
        >
          {isPending ? parts.working : texts.confirm}
        </Button>
      </div>
    </>
  );
}

function Change({ subscription, onClose }: Omit<StepProps, 'draft'>) {
  const { item } = subscription;
  const [draft, edit] = useState<Draft>({
    item: item.id,
    price: item.price.id,
    quantity: String(item.quantity),
    effective: 'now',
    proration: 'next_invoice',
  });
  const [preview, show] = useState<ChangePreview | null>(null);
  const { data: plans, error } = useRead(['subscriptions', subscription.id, 'plans'], (fatura, options) =>
    readPlans(fatura, subscription, options),
  );
  if (error !== null) return <ErrorNote error={error} />;
  if (plans === undefined) return <Pending />;
  const step = { subscription, draft, onClose };
  return preview === null ? (
    <Choosing {...step} plans={plans} edit={edit} onShown={show} />
  ) : (
    <Confirming {...step} preview={preview} onBack={() => show(null)} />
  );
}

/** Another plan or quantity of an item: chosen, seen with what it comes to, and then done. */
export function ChangeDialog({ isOpen, ...props }: Omit<StepProps, 'draft'> & { isOpen: boolean }) {
  const texts = useTexts(changeTexts);
  return (
    <Dialog title={texts.action} isOpen={isOpen} onClose={props.onClose}>
      <Change {...props} />
    </Dialog>
  );
}
