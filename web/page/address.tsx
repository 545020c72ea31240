import { type CardErrors, type CardField, type CardValues, masked } from './card-fields.ts';
import { Field } from './field.tsx';

interface Part {
  readonly name: CardField;
  readonly label: string;
  readonly autocomplete: string;
  readonly inputMode?: 'numeric';
  readonly maxLength: number;
  readonly className?: string;
}

/** As long as the service takes them (docs/product/cards.md#what-is-checked). */
const PARTS: readonly Part[] = [
  { name: 'postalCode', label: 'CEP', autocomplete: 'billing postal-code', inputMode: 'numeric', maxLength: 9 },
  { name: 'street', label: 'Rua', autocomplete: 'billing address-line1', maxLength: 200, className: 'wide' },
  { name: 'streetNumber', label: 'Número', autocomplete: 'off', maxLength: 20 },
  { name: 'complement', label: 'Complemento', autocomplete: 'billing address-line2', maxLength: 100 },
  { name: 'neighborhood', label: 'Bairro', autocomplete: 'billing address-level3', maxLength: 100 },
  { name: 'city', label: 'Cidade', autocomplete: 'billing address-level2', maxLength: 100 },
  { name: 'state', label: 'UF', autocomplete: 'billing address-level1', maxLength: 2 },
];

interface AddressProps {
  readonly values: CardValues;
  readonly errors: CardErrors;
  readonly idOf: (name: CardField) => string;
  readonly onChange: (name: CardField, value: string) => void;
}

/** Where the holder is billed; optional. An error in it opens it. */
export function Address({ values, errors, idOf, onChange }: AddressProps) {
  const hasError = PARTS.some(({ name }) => errors[name] !== undefined);
  return (
    <details class="address" {...(hasError ? { open: true } : {})}>
      <summary>Endereço de cobrança (opcional)</summary>
      <p class="hint">Ajuda o banco a aprovar a compra.</p>
      <div class="parts">
        {PARTS.map(({ name, ...part }) => (
          <Field
            key={name}
            id={idOf(name)}
            {...part}
            value={values[name]}
            error={errors[name]}
            mask={(text) => masked(name, text)}
            onChange={(text) => onChange(name, text)}
          />
        ))}
      </div>
    </details>
  );
}
