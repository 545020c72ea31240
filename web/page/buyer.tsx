import {
  type BuyerField,
  type BuyerValues,
  buyerErrorsAt,
  buyerOf,
  errorsOfBuyer,
  maskedOfBuyer,
  NOBODY,
} from './buyer-fields.ts';
import { Field } from './field.tsx';
import type { PurchaseView } from './page-data.ts';
import { problemText } from './texts.ts';
import { Trouble } from './trouble.tsx';
import type { Checkout } from './use-checkout.ts';
import { useForm } from './use-form.ts';

interface Part {
  readonly name: BuyerField;
  readonly label: string;
  readonly autocomplete: string;
  readonly inputMode?: 'numeric' | 'text' | 'email' | 'tel';
  readonly maxLength: number;
}

const PARTS: readonly Part[] = [
  { name: 'name', label: 'Nome completo', autocomplete: 'name', maxLength: 250 },
  { name: 'identifier', label: 'CPF ou CNPJ', autocomplete: 'off', maxLength: 18 },
  { name: 'email', label: 'E-mail', autocomplete: 'email', inputMode: 'email', maxLength: 254 },
  { name: 'phone', label: 'Celular com DDD', autocomplete: 'tel', inputMode: 'tel', maxLength: 20 },
];

const idOf = (name: BuyerField): string => `buyer-${name}`;

/** What is typed into the form now; null: nothing, or there is no such form. */
export function readTyped(): BuyerValues | null {
  const typed = PARTS.map(({ name }) => {
    const input = document.getElementById(idOf(name));
    return [name, input instanceof HTMLInputElement ? input.value : ''] as const;
  });
  return typed.every(([, value]) => value === '') ? null : { ...NOBODY, ...Object.fromEntries(typed) };
}

/** What the buyer goes on to: nothing may be charged yet, and no card stored. */
function nextText({ isChargedLater = false, cardFor }: PurchaseView): string {
  if (!isChargedLater) return 'Continuar para o pagamento';
  return cardFor === undefined ? 'Confirmar assinatura' : 'Continuar';
}

/** Who pays: asked once, before the payment. Without a script the browser sends the form by itself. */
export function Buyer({ checkout, typed }: { checkout: Checkout; typed: BuyerValues | null }) {
  const { failure, busy, identify } = checkout;
  const initial = typed ?? NOBODY;
  const refused = buyerErrorsAt(failure?.problem.fields ?? [], initial);
  const { values, errors, show, change } = useForm(initial, idOf, refused);
  const onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (show(errorsOfBuyer(values))) return;
    const answer = await identify(buyerOf(values));
    show(buyerErrorsAt(answer?.problem?.fields ?? [], values));
  };
  return (
    <section class="panel" aria-labelledby="buyer">
      <h2 id="buyer">Seus dados</h2>
      {failure?.action === 'buyer' && <Trouble text={problemText(failure.problem)} isNews />}
      <form method="post" noValidate onSubmit={(event) => void onSubmit(event)}>
        {PARTS.map(({ name, ...part }) => (
          <Field
            key={name}
            {...part}
            id={idOf(name)}
            name={name}
            value={values[name]}
            error={errors[name]}
            mask={(text) => maskedOfBuyer(name, text)}
            onChange={(text) => change(name, text)}
            isRequired
          />
        ))}
        <button type="submit" class="primary" aria-disabled={busy !== null}>
          {busy === 'buyer' ? 'Continuando …' : nextText(checkout.purchase)}
        </button>
      </form>
      <p class="note">Seus dados vão para a loja, que os usa nesta compra.</p>
    </section>
  );
}
