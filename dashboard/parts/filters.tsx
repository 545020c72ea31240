import { type ReactNode, useEffect, useState } from 'react';
import { amountText, centsOf } from '../texts/numbers.ts';
import { useSharedTexts } from '../texts/shared.ts';
import { Button } from './button.tsx';
import { Choice, Field } from './field.tsx';
import { useSetFilters } from './use-filters.ts';
import { useIsNarrow } from './use-media.ts';

interface FilterBarProps {
  /** The filters of the address, by their names; those that are set can be cleared at once. */
  readonly filters: Readonly<Record<string, string | undefined>>;
  readonly children: ReactNode;
}

/** The filters above a list. Each writes into the address, so that a view can be shared as it is. */
export function FilterBar({ filters, children }: FilterBarProps) {
  const { parts } = useSharedTexts();
  const setFilters = useSetFilters();
  const set = Object.keys(filters).filter((name) => filters[name] !== undefined);
  const isNarrow = useIsNarrow();
  const clear = (): void => setFilters(Object.fromEntries(set.map((name) => [name, undefined])));
  const bar = (
    <div className="filters">
      {children}
      {set.length > 0 && (
        <Button kind="quiet" onPress={clear}>
          {parts.clearFilters}
        </Button>
      )}
    </div>
  );
  return (
    <search aria-label={parts.filters}>
      {isNarrow ? (
        <details className="fold">
          <summary>
            {parts.filters}
            {set.length > 0 && ` (${set.length})`}
          </summary>
          {bar}
        </details>
      ) : (
        bar
      )}
    </search>
  );
}

interface ChoiceFilterProps<T extends string> {
  readonly label: string;
  readonly name: string;
  readonly value: T | undefined;
  readonly options: readonly (readonly [value: T, text: string])[];
}

/** One of a few, or all. */
export function ChoiceFilter<T extends string>({ label, name, value, options }: ChoiceFilterProps<T>) {
  const { parts } = useSharedTexts();
  const setFilters = useSetFilters();
  const all: readonly (readonly [T | '', string])[] = [['', parts.all], ...options];
  return (
    <Choice
      label={label}
      value={value ?? ''}
      options={all}
      onChange={(taken) => setFilters({ [name]: taken === '' ? undefined : taken })}
    />
  );
}

interface TextFilterProps {
  readonly label: string;
  readonly name: string;
  readonly value: string | undefined;
  readonly placeholder?: string;
  /** What the address keeps of what was typed in; null: not to be taken. */
  readonly read?: (text: string) => string | null;
  readonly prefix?: string;
  /** It takes a whole name or address. */
  readonly isWide?: boolean;
}

/** A text, taken when one leaves the field or presses Enter. */
export function TextFilter({
  label,
  name,
  value = '',
  read = (text) => text.trim(),
  isWide = false,
  ...props
}: TextFilterProps) {
  const setFilters = useSetFilters();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const taken = text.trim() === '' ? '' : read(text);
  const take = (): void => {
    if (taken !== null && taken !== value) setFilters({ [name]: taken === '' ? undefined : taken });
  };
  return (
    <Field
      {...props}
      isWide={isWide}
      label={label}
      value={text}
      onChange={setText}
      onBlur={take}
      onKeyDown={(event) => event.key === 'Enter' && take()}
      isInvalid={taken === null}
    />
  );
}

const readAmount = (text: string): string | null => {
  const cents = centsOf(text);
  return cents === null ? null : amountText(cents);
};

interface AmountFilterProps {
  readonly min: string | undefined;
  readonly max: string | undefined;
}

/** A range of amounts; the address keeps them as they are written: `min=99,90`. */
export function AmountFilter({ min, max }: AmountFilterProps) {
  const { parts } = useSharedTexts();
  return (
    <>
      <TextFilter label={parts.amountFrom} name="min" value={min} read={readAmount} prefix="R$" />
      <TextFilter label={parts.amountUntil} name="max" value={max} read={readAmount} prefix="R$" />
    </>
  );
}

/** Nothing was found: says by what was searched. */
export function NothingFound({ filters }: { filters: readonly (string | null | undefined | false)[] }) {
  const { parts } = useSharedTexts();
  const used = filters.filter((one) => typeof one === 'string' && one !== '');
  return used.length === 0 ? (
    <p>{parts.nothing}</p>
  ) : (
    <>
      <p>{parts.nothingFound}</p>
      <p className="soft">
        {parts.searchedFor} {used.join(' · ')}
      </p>
    </>
  );
}
