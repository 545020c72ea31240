import { useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { maskedTaxId, taxId } from '../texts/numbers.ts';
import { useSharedTexts } from '../texts/shared.ts';

/** A CPF or CNPJ, masked until somebody asks for it. `shown` hears of that. */
export function TaxId({ identifier, shown }: { identifier: string; shown?: () => void }) {
  const { parts } = useSharedTexts();
  const [isShown, setShown] = useState(false);
  const toggle = (): void => {
    if (!isShown) shown?.();
    setShown(!isShown);
  };
  return (
    <span className="tax-id">
      <span>{isShown ? taxId(identifier) : maskedTaxId(identifier)}</span>{' '}
      <AriaButton className="link-button" onPress={toggle} aria-expanded={isShown}>
        {isShown ? parts.hide : parts.show}
      </AriaButton>
    </span>
  );
}

interface PersonProps {
  readonly name: string;
  readonly identifier?: string | null;
}

/** Somebody by name and masked CPF: enough to know them, too little to take away. */
export function Person({ name, identifier = null }: PersonProps) {
  return (
    <span className="person">
      <span className="person-name">{name}</span>
      {identifier !== null && <small>{maskedTaxId(identifier)}</small>}
    </span>
  );
}
