import { useEffect, useState } from 'preact/hooks';
import {
  type BuyerField,
  type BuyerValues,
  buyerErrorsAt,
  buyerOf,
  errorsOfBuyer,
  isCnpj,
  maskedOfBuyer,
  NOBODY,
} from './buyer-fields.ts';
import { Consent } from './consent-note.tsx';
import { Field } from './field.tsx';
import { useSpoken } from './language.ts';
import type { LookView, PurchaseView } from './page-data.ts';
import type { Texts } from './texts/pt.ts';
import { problemText } from './texts.ts';
import { Trouble } from './trouble.tsx';
import type { Checkout } from './use-checkout.ts';
import { useForm } from './use-form.ts';

const FIELDS: readonly BuyerField[] = ['name', 'identifier', 'email', 'phone'];
const NAME_MAX = 250;
const TAX_ID_MAX = 18;
const EMAIL_MAX = 254;
const PHONE_MAX = 20;

const idOf = (name: BuyerField): string => `buyer-${name}`;

/** What is typed into the form now; null: nothing, or there is no such form. */
export function readTyped(): BuyerValues | null {
  const typed = FIELDS.map((name) => {
    const input = document.getElementById(idOf(name));
    return [name, input instanceof HTMLInputElement ? input.value : ''] as const;
  });
  return typed.every(([, value]) => value === '') ? null : { ...NOBODY, ...Object.fromEntries(typed) };
}

/** What the buyer goes on to: nothing may be charged yet, and no card stored. */
function nextText(words: Texts['buyer'], { isChargedLater = false, cardFor }: PurchaseView): string {
  if (!isChargedLater) return words.next;
  return cardFor === undefined ? words.confirm : words.nextLater;
}

type Form = ReturnType<typeof useForm<BuyerValues>>;

const commonOf = ({ values, errors, change }: Form, name: BuyerField) => ({
  id: idOf(name),
  name,
  value: values[name],
  error: errors[name],
  mask: (text: string) => maskedOfBuyer(name, text),
  onChange: (text: string) => change(name, text),
  isRequired: true,
});

/** A CPF has a keyboard of digits; a CNPJ may have letters. Without a script the one field takes both. */
function Identifier({ form }: { form: Form }) {
  const { buyer } = useSpoken().texts;
  const [hasCnpj, choose] = useState(() => isCnpj(form.values.identifier));
  const isCompany = hasCnpj || isCnpj(form.values.identifier);
  const turn = (): void => {
    if (isCnpj(form.values.identifier)) form.change('identifier', '');
    choose(!isCompany);
  };
  return (
    <Field
      {...commonOf(form, 'identifier')}
      label={
        <>
          {isCompany ? buyer.cnpj : buyer.cpf}
          {!isCompany && <noscript>{buyer.either}</noscript>}
        </>
      }
      inputMode={isCompany ? 'text' : 'numeric'}
      maxLength={TAX_ID_MAX}
    >
      <button type="button" class="inside scripted" onClick={turn}>
        {isCompany ? buyer.hasCpf : buyer.hasCnpj}
      </button>
    </Field>
  );
}

/** Asks whether a domain was mistyped; what stands there is taken all the same. */
function EmailMeant({ form: { values, change } }: { form: Form }) {
  const { buyer } = useSpoken().texts;
  const [find, know] = useState<((email: string) => string | null) | null>(null);
  const isTyped = values.email !== '';
  useEffect(() => {
    // What looks for slips comes once there is something to look at.
    if (isTyped) void import('./email-typo.ts').then(({ emailMeant }) => know(() => emailMeant));
  }, [isTyped]);
  const meant = find === null ? null : find(values.email);
  return (
    <div role="status">
      {meant !== null && (
        <button type="button" class="meant" onClick={() => change('email', meant)}>
          {buyer.didYouMean} <strong>{meant}</strong>?
        </button>
      )}
    </div>
  );
}

interface BuyerProps {
  readonly checkout: Checkout;
  readonly typed: BuyerValues | null;
  readonly look: LookView;
}

/** Who pays: asked once, before the payment. Without a script the browser sends the form by itself. */
export function Buyer({ checkout, typed, look }: BuyerProps) {
  const { texts } = useSpoken();
  const { buyer: words } = texts;
  const { failure, busy, identify, purchase } = checkout;
  const initial = typed ?? NOBODY;
  const form = useForm(initial, idOf, buyerErrorsAt(failure?.problem.fields ?? [], initial, words.errors));
  const { values, show } = form;
  const onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (show(errorsOfBuyer(values, words.errors))) return;
    const answer = await identify(buyerOf(values));
    show(buyerErrorsAt(answer?.problem?.fields ?? [], values, words.errors));
  };
  const begins = purchase.isChargedLater === true && purchase.cardFor === undefined;
  return (
    <section class="panel" aria-labelledby="buyer">
      <h2 id="buyer">{words.title}</h2>
      {failure?.action === 'buyer' && <Trouble text={problemText(texts, failure.problem)} isNews />}
      <form method="post" noValidate onSubmit={(event) => void onSubmit(event)}>
        <Field {...commonOf(form, 'name')} label={words.name} autocomplete="name" maxLength={NAME_MAX} />
        <Identifier form={form} />
        <Field
          {...commonOf(form, 'email')}
          label={words.email}
          autocomplete="email"
          inputMode="email"
          maxLength={EMAIL_MAX}
        />
        <EmailMeant form={form} />
        <Field
          {...commonOf(form, 'phone')}
          label={words.phone}
          autocomplete="tel"
          inputMode="tel"
          maxLength={PHONE_MAX}
        />
        <button type="submit" class="primary" aria-disabled={busy !== null}>
          {busy === 'buyer' ? words.going : nextText(words, purchase)}
        </button>
      </form>
      {begins && <Consent purchase={purchase} look={look} />}
      <p class="note">{words.note}</p>
    </section>
  );
}
