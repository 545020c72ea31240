import type { Customer } from '@fatura/sdk';
import { useEffect, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { useRead } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Person } from '../../parts/person.tsx';
import { useSettled } from '../../parts/use-settled.ts';
import { useTexts } from '../../texts/language.tsx';
import { type Buyer, NOBODY } from './charge-order.ts';
import { linkTexts } from './texts.ts';

interface BuyerFieldsProps {
  readonly buyer: Buyer;
  readonly onChange: (buyer: Buyer) => void;
}

/** The API finds nobody by less. */
const LETTERS_MIN = 3;
const DIGITS_MIN = 6;
const SUGGESTIONS_MAX = 5;

const bare = (identifier: string): string => identifier.replace(/[^\dA-Za-z]/g, '').toUpperCase();

const queryOf = (text: string): string | null => {
  const wanted = /\d/.test(text) ? bare(text) : text.trim();
  return wanted.length < (/^\d/.test(wanted) ? DIGITS_MIN : LETTERS_MIN) ? null : wanted;
};

/** Customers who may be meant by what is being typed. */
function useSuggestions(text: string): readonly Customer[] {
  const query = queryOf(useSettled(text));
  const { data } = useRead(
    ['customers', 'suggested', query],
    async (fatura, options) =>
      (await fatura.customers.list({ query: query ?? '', limit: SUGGESTIONS_MAX }, options).page()).data,
    { enabled: query !== null },
  );
  if (query === null || data === undefined) return [];
  return data.filter(({ identifier }) => identifier !== null);
}

/** A customer who is there already: nothing is asked for again. */
function Known({ customer, change }: { customer: Customer; change: () => void }) {
  const texts = useTexts(linkTexts);
  return (
    <div className="panel-head" role="status" aria-label={texts.found(customer.name)}>
      <Person name={customer.name} identifier={customer.identifier} />
      <Button onPress={change}>{texts.other}</Button>
    </div>
  );
}

function Suggestions({ customers, take }: { customers: readonly Customer[]; take: (customer: Customer) => void }) {
  const texts = useTexts(linkTexts);
  return (
    <div role="status">
      {customers.length > 0 && (
        <div className="suggestions">
          <span className="soft">{texts.known}</span>
          {customers.map((customer) => (
            <AriaButton key={customer.id} className="suggestion" onPress={() => take(customer)}>
              <Person name={customer.name} identifier={customer.identifier} />
              <small className="soft">{customer.email}</small>
            </AriaButton>
          ))}
        </div>
      )}
    </div>
  );
}

/** Who pays: found among the customers as one types, or new. */
export function BuyerFields({ buyer, onChange }: BuyerFieldsProps) {
  const texts = useTexts(linkTexts);
  const [typed, setTyped] = useState('');
  // Whoever changed a customer that was found does not get it back by itself.
  const [refused, setRefused] = useState<string | null>(null);
  const suggestions = useSuggestions(buyer.kind === 'new' ? typed : '');
  const identifier = buyer.kind === 'new' ? bare(buyer.identifier) : '';
  const same = suggestions.filter((one) => one.identifier === identifier);
  const only = same.length === 1 ? same[0] : undefined;
  useEffect(() => {
    if (only !== undefined && only.id !== refused) onChange({ kind: 'known', customer: only });
  }, [only, refused, onChange]);
  if (buyer.kind === 'known') {
    const change = (): void => {
      setRefused(buyer.customer.id);
      setTyped('');
      onChange(NOBODY);
    };
    return <Known customer={buyer.customer} change={change} />;
  }
  const write = (name: 'name' | 'identifier' | 'email') => (text: string) => {
    if (name !== 'email') setTyped(text);
    onChange({ ...buyer, [name]: text });
  };
  return (
    <>
      <Field
        label={texts.name}
        name="customer.name"
        value={buyer.name}
        onChange={write('name')}
        autoComplete="off"
        isRequired
      />
      <Suggestions customers={suggestions} take={(customer) => onChange({ kind: 'known', customer })} />
      <Field
        label={texts.taxId}
        name="customer.identifier"
        value={buyer.identifier}
        onChange={write('identifier')}
        autoComplete="off"
        isRequired
      />
      <Field
        label={texts.email}
        name="customer.email"
        type="email"
        value={buyer.email}
        onChange={write('email')}
        autoComplete="off"
        isRequired
      />
    </>
  );
}
