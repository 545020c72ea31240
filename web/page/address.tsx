import { type CardErrors, type CardField, type CardValues, masked } from './card-fields.ts';
import { Field } from './field.tsx';
import { useSpoken } from './language.ts';
import type { Texts } from './texts/pt.ts';

interface Part {
  readonly name: keyof Texts['card']['parts'];
  readonly autocomplete: string;
  readonly inputMode?: 'numeric';
  readonly maxLength: number;
  readonly className?: string;
}

/** As long as the service takes them (docs/product/cards.md#what-is-checked). */
const PARTS: readonly Part[] = [
  { name: 'postalCode', autocomplete: 'billing postal-code', inputMode: 'numeric', maxLength: 9 },
  { name: 'street', autocomplete: 'billing address-line1', maxLength: 200, className: 'wide' },
  { name: 'streetNumber', autocomplete: 'off', maxLength: 20 },
  { name: 'complement', autocomplete: 'billing address-line2', maxLength: 100 },
  { name: 'neighborhood', autocomplete: 'billing address-level3', maxLength: 100 },
  { name: 'city', autocomplete: 'billing address-level2', maxLength: 100 },
  { name: 'state', autocomplete: 'billing address-level1', maxLength: 2 },
];

interface AddressProps {
  readonly values: CardValues;
  readonly errors: CardErrors;
  readonly idOf: (name: CardField) => string;
  readonly onChange: (name: CardField, value: string) => void;
}

/** Where the holder is billed; optional. An error in it opens it. */
export function Address({ values, errors, idOf, onChange }: AddressProps) {
  const { card } = useSpoken().texts;
  const hasError = PARTS.some(({ name }) => errors[name] !== undefined);
  return (
    <details class="address" {...(hasError ? { open: true } : {})}>
      <summary>{card.address}</summary>
      <p class="hint">{card.addressHint}</p>
      <div class="parts">
        {PARTS.map(({ name, ...part }) => (
          <Field
            key={name}
            id={idOf(name)}
            {...part}
            label={card.parts[name]}
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
