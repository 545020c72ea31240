import { Address } from './address.tsx';
import {
  brandOf,
  type CardField,
  type CardValues,
  errorsAt,
  errorsOf,
  masked,
  OWN,
  requestOf,
  valuesFor,
} from './card-fields.ts';
import { asksConsent } from './consent.ts';
import { Field } from './field.tsx';
import { Installments } from './installments.tsx';
import { type Spoken, useSpoken } from './language.ts';
import { BrandMark, BrandMarks, Lock } from './marks.tsx';
import { isPayable, type PurchaseView, type TestCard } from './page-data.ts';
import { TestCards } from './test-cards.tsx';
import type { Texts } from './texts/pt.ts';
import { cardProblemText, isUncertain } from './texts.ts';
import { Trouble } from './trouble.tsx';
import type { Checkout, Failure } from './use-checkout.ts';
import { useForm } from './use-form.ts';

const idOf = (name: CardField): string => (name === 'installments' ? 'installments-total' : `card-${name}`);

interface RefusalProps {
  readonly failure: Failure | null;
  readonly purchase: PurchaseView;
  /** Goes on by PIX, with the same purchase; absent: there is no PIX. */
  readonly toPix: (() => void) | undefined;
}

/** The last decline stays told on a page that was loaded anew; from it one tap leads to PIX. */
function Refusal({ failure, purchase, toPix }: RefusalProps) {
  const { texts } = useSpoken();
  const problem = failure?.action === 'card' ? failure.problem : null;
  // A charge whose answer did not come may have been declined since.
  const isOpen = problem === null || isUncertain(problem);
  const reason = problem?.declineReason ?? (isOpen ? purchase.declined : null);
  const byPix =
    toPix === undefined ? null : (
      <button type="button" class="secondary" onClick={toPix}>
        {texts.card.toPix}
      </button>
    );
  if (reason !== null) {
    const { title, advice } = texts.declines[reason];
    return (
      <Trouble title={title} text={advice} isNews={problem !== null}>
        {byPix}
      </Trouble>
    );
  }
  if (problem === null) return null;
  return (
    <Trouble text={cardProblemText(texts, problem)} isNews>
      {problem.code === 'RATE_LIMITED' && byPix}
    </Trouble>
  );
}

type Form = ReturnType<typeof useForm<CardValues>>;

const commonOf = ({ values, errors, change }: Form, name: CardField) => ({
  id: idOf(name),
  value: values[name],
  error: errors[name],
  mask: (text: string) => masked(name, text),
  onChange: (text: string) => change(name, text),
  isRequired: true,
});

/** The CPF of the holder: that of the buyer, which the service knows, or another. */
function Holder({ form, own }: { form: Form; own: string | null }) {
  const { card: words } = useSpoken().texts;
  const isOwn = form.values.ownsDocument === OWN;
  return (
    <>
      {own !== null && (
        <label class="tick">
          <input
            autocomplete="off"
            type="checkbox"
            checked={isOwn}
            onChange={({ currentTarget }) => form.change('ownsDocument', currentTarget.checked ? OWN : '')}
          />
          <span>{words.ownDocument(own)}</span>
        </label>
      )}
      {!isOwn && <Field {...commonOf(form, 'document')} label={words.document} inputMode="numeric" maxLength={18} />}
    </>
  );
}

function Fields({ form, own }: { form: Form; own: string | null }) {
  const { card: words } = useSpoken().texts;
  const brand = brandOf(form.values.number);
  return (
    <>
      <Field
        {...commonOf(form, 'number')}
        label={words.number}
        autocomplete="cc-number"
        inputMode="numeric"
        maxLength={24}
      >
        <span class="brand" aria-live="polite">
          {brand === null ? <BrandMarks /> : <BrandMark brand={brand} />}
        </span>
      </Field>
      <Field {...commonOf(form, 'name')} label={words.name} autocomplete="cc-name" />
      <div class="pair">
        <Field
          {...commonOf(form, 'expiry')}
          label={words.expiry}
          hint={words.expiryHint}
          autocomplete="cc-exp"
          inputMode="numeric"
          maxLength={9}
        />
        <Field
          {...commonOf(form, 'cvc')}
          label={words.cvc}
          hint={brand === 'amex' ? words.cvcHintAmex : words.cvcHint}
          autocomplete="cc-csc"
          inputMode="numeric"
          maxLength={4}
        />
      </div>
      <Holder form={form} own={own} />
    </>
  );
}

/** What the button does, with what it charges. */
function payText({ texts, money }: Spoken, purchase: PurchaseView, count: string): string {
  const { standing, amount, cardFor, renewal, installments } = purchase;
  const { card: words, consent } = texts;
  if (cardFor === 'trial') return words.beginTrial;
  if (cardFor === 'later' || standing === 'renewing') return words.save;
  const chosen = installments.find((option) => option.count > 1 && String(option.count) === count);
  if (chosen !== undefined) return words.payTimes(chosen.count, money(chosen.last));
  const sells = renewal !== null && asksConsent(purchase);
  return sells ? consent.subscribe(money(renewal.amount), renewal.every) : words.pay(money(amount));
}

function busyText({ standing, cardFor }: PurchaseView, words: Texts['card']): string {
  if (cardFor === 'trial') return words.checking;
  return cardFor === 'later' || standing === 'renewing' ? words.saving : words.paying;
}

function noteOf(purchase: PurchaseView, words: Texts['card']): string {
  const { standing, cardFor, cardUrl, keepsCard } = purchase;
  const isVerified = standing === 'renewing' || cardFor === 'trial' || cardFor === 'later';
  return [
    ...(isVerified ? [words.verified] : []),
    cardUrl === null ? words.viaUs : words.direct,
    // Who subscribes here is asked by the sentences of the subscription.
    ...(keepsCard && !asksConsent(purchase) ? [words.keeps] : []),
  ].join(' ');
}

interface CardProps {
  readonly checkout: Checkout;
  readonly testCards: readonly TestCard[];
  readonly toPix?: (() => void) | undefined;
}

/** Payment by card. */
export function Card({ checkout, testCards, toPix }: CardProps) {
  const spoken = useSpoken();
  const { card: words, payment } = spoken.texts;
  const { purchase, buyer, failure, busy, payByCard } = checkout;
  const form = useForm(valuesFor(buyer, purchase.ownDocument), idOf);
  const { values, errors, change, show, fill } = form;
  const onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (show(errorsOf(values, words.errors))) return;
    const answer = await payByCard(requestOf(values, isPayable(purchase) ? purchase.amount : null));
    show(errorsAt(answer?.problem?.fields ?? [], words.errors));
  };
  return (
    <>
      {busy !== 'card' && <Refusal failure={failure} purchase={purchase} toPix={toPix} />}
      {testCards.length > 0 && <TestCards cards={testCards} fill={(number) => fill(filled(values, number))} />}
      <form class="scripted" noValidate onSubmit={(event) => void onSubmit(event)}>
        <Fields form={form} own={purchase.ownDocument} />
        <Installments
          options={purchase.installments}
          value={values.installments}
          error={errors.installments}
          choose={(count) => change('installments', count)}
        />
        <Address values={values} errors={errors} idOf={idOf} onChange={change} />
        <button type="submit" class="primary" aria-disabled={busy !== null}>
          {busy === 'card' ? busyText(purchase, words) : payText(spoken, purchase, values.installments)}
        </button>
      </form>
      <p class="secure">
        <Lock /> {payment.secure}
      </p>
      <p class="note">{noteOf(purchase, words)}</p>
    </>
  );
}

/** A test card needs a holder, of whom the sandbox asks nothing. */
function filled(values: CardValues, number: string): CardValues {
  const cvc = brandOf(number) === 'amex' ? '1234' : '123';
  const holder = { name: 'MARIA DA SILVA', document: masked('document', '52998224725') };
  return { ...values, ...holder, number: masked('number', number), expiry: '12/40', cvc };
}
