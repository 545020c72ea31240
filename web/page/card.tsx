import { Address } from './address.tsx';
import {
  brandOf,
  type CardField,
  type CardValues,
  errorsAt,
  errorsOf,
  masked,
  requestOf,
  valuesFor,
} from './card-fields.ts';
import { Field } from './field.tsx';
import { money } from './format.ts';
import type { InstallmentOption, PurchaseView, TestCard } from './page-data.ts';
import { TestCards } from './test-cards.tsx';
import { brandNames, cardProblemText, declines, isUncertain } from './texts.ts';
import { Trouble } from './trouble.tsx';
import type { Checkout, Failure } from './use-checkout.ts';
import { useForm } from './use-form.ts';

const idOf = (name: CardField): string => `card-${name}`;

function optionText({ count, first, last }: InstallmentOption): string {
  if (count === 1) return `À vista: ${money(first)}`;
  const odd = first === last ? '' : ` (a primeira de ${money(first)})`;
  return `${count}x de ${money(last)} sem juros${odd}`;
}

interface InstallmentsProps {
  readonly options: readonly InstallmentOption[];
  readonly value: string;
  readonly error: string | undefined;
  readonly choose: (count: string) => void;
}

function Installments({ options, value, error, choose }: InstallmentsProps) {
  if (options.length < 2) return null;
  return (
    <div class="field">
      <label for={idOf('installments')}>Parcelas</label>
      <select
        id={idOf('installments')}
        value={value}
        aria-invalid={error !== undefined}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.count} value={String(option.count)}>
            {optionText(option)}
          </option>
        ))}
      </select>
      {error !== undefined && <p class="error">{error}</p>}
    </div>
  );
}

/** The last decline stays told on a page that was loaded anew. */
function Refusal({ failure, purchase }: { failure: Failure | null; purchase: PurchaseView }) {
  const problem = failure?.action === 'card' ? failure.problem : null;
  // A charge whose answer did not come may have been declined since.
  const isOpen = problem === null || isUncertain(problem);
  const reason = problem?.declineReason ?? (isOpen ? purchase.declined : null);
  if (reason !== null) {
    const { title, advice } = declines[reason];
    return <Trouble title={title} text={advice} isNews={problem !== null} />;
  }
  return problem === null ? null : <Trouble text={cardProblemText(problem)} isNews />;
}

type Form = ReturnType<typeof useForm<CardValues>>;

function Fields({ form: { values, errors, change } }: { form: Form }) {
  const brand = brandOf(values.number);
  const isAmex = brand === 'amex';
  const common = (name: CardField) => ({
    id: idOf(name),
    value: values[name],
    error: errors[name],
    mask: (text: string) => masked(name, text),
    onChange: (text: string) => change(name, text),
    isRequired: true,
  });
  return (
    <>
      <Field {...common('number')} label="Número do cartão" autocomplete="cc-number" inputMode="numeric" maxLength={24}>
        <span class="brand" aria-live="polite">
          {brand === null ? '' : brandNames[brand]}
        </span>
      </Field>
      <Field {...common('name')} label="Nome impresso no cartão" autocomplete="cc-name" />
      <div class="pair">
        <Field
          {...common('expiry')}
          label="Validade"
          hint="MM/AA"
          autocomplete="cc-exp"
          inputMode="numeric"
          maxLength={9}
        />
        <Field
          {...common('cvc')}
          label="CVV"
          hint={isAmex ? '4 dígitos na frente' : '3 dígitos no verso'}
          autocomplete="cc-csc"
          inputMode="numeric"
          maxLength={4}
        />
      </div>
      <Field {...common('document')} label="CPF do titular do cartão" inputMode="numeric" maxLength={18} />
    </>
  );
}

function payText(isBusy: boolean, { standing, amount, cardFor }: PurchaseView): string {
  if (cardFor === 'trial') return isBusy ? 'Conferindo o cartão …' : 'Começar teste grátis';
  if (cardFor === 'later') return isBusy ? 'Salvando o cartão …' : 'Salvar este cartão';
  if (standing === 'renewing') return isBusy ? 'Salvando o cartão …' : 'Salvar este cartão';
  return isBusy ? 'Processando o pagamento …' : `Pagar ${money(amount)}`;
}

/** What the buyer of a subscription agrees to (docs/product/cards.md#stored-cards). */
const CONSENT =
  'Ao continuar, você autoriza guardar este cartão para as próximas cobranças da assinatura, até você trocar ou cancelar.';

const noteOf = ({ standing, cardFor, cardUrl, keepsCard }: PurchaseView): string => {
  const way =
    cardUrl === null
      ? 'O número e o código de segurança vão direto para a cobrança e não ficam guardados.'
      : 'O número e o código de segurança vão do seu navegador direto para quem processa o cartão, sem passar pela loja.';
  const isVerified = standing === 'renewing' || cardFor === 'trial' || cardFor === 'later';
  const what = isVerified ? `O cartão é conferido com o banco e nada é cobrado agora. ${way}` : way;
  return keepsCard ? `${what} ${CONSENT}` : what;
};

/** Payment by card. */
export function Card({ checkout, testCards }: { checkout: Checkout; testCards: readonly TestCard[] }) {
  const { purchase, buyer, failure, busy, payByCard } = checkout;
  const form = useForm(valuesFor(buyer), idOf);
  const { values, errors, change, show, fill } = form;
  const onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (show(errorsOf(values))) return;
    const answer = await payByCard(requestOf(values));
    show(errorsAt(answer?.problem?.fields ?? []));
  };
  return (
    <>
      {busy !== 'card' && <Refusal failure={failure} purchase={purchase} />}
      {testCards.length > 0 && <TestCards cards={testCards} fill={(number) => fill(filled(values, number))} />}
      <form class="scripted" noValidate onSubmit={(event) => void onSubmit(event)}>
        <Fields form={form} />
        <Installments
          options={purchase.installments}
          value={values.installments}
          error={errors.installments}
          choose={(count) => change('installments', count)}
        />
        <Address values={values} errors={errors} idOf={idOf} onChange={change} />
        <button type="submit" class="primary" aria-disabled={busy !== null}>
          {payText(busy === 'card', purchase)}
        </button>
      </form>
      <p class="note">{noteOf(purchase)}</p>
    </>
  );
}

/** A test card needs a holder, of whom the sandbox asks nothing. */
function filled(values: CardValues, number: string): CardValues {
  const cvc = brandOf(number) === 'amex' ? '1234' : '123';
  const holder = { name: 'MARIA DA SILVA', document: masked('document', '52998224725') };
  return { ...values, ...holder, number: masked('number', number), expiry: '12/40', cvc };
}
