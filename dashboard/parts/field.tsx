import { isFaturaError } from '@fatura/sdk';
import type { ReactNode } from 'react';
import {
  Checkbox,
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  TextField,
  type TextFieldProps,
} from 'react-aria-components';
import { useSharedTexts } from '../texts/shared.ts';

interface FieldProps extends Omit<TextFieldProps, 'children' | 'className' | 'style'> {
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly isLong?: boolean;
  readonly isWide?: boolean;
  readonly prefix?: string;
  /** What is wrong, where the screen knows it; the browser's and the service's words come by themselves. */
  readonly errorMessage?: string;
}

/** A line of text with its label, its hint and its error. Paste is always allowed. */
export function Field({
  label,
  hint,
  placeholder,
  isLong = false,
  isWide = false,
  prefix,
  errorMessage,
  ...props
}: FieldProps) {
  const { parts } = useSharedTexts();
  const isOptional = props.isRequired === false;
  const shown = placeholder === undefined ? {} : { placeholder };
  return (
    <TextField {...props} className={isWide ? 'field wide' : 'field'}>
      <Label>
        {label}
        {isOptional && <span className="soft"> ({parts.optional})</span>}
      </Label>
      <div className="control">
        {prefix !== undefined && <span className="prefix">{prefix}</span>}
        {isLong ? <TextArea {...shown} rows={4} /> : <Input {...shown} />}
      </div>
      {hint !== undefined && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <FieldError className="error">{errorMessage}</FieldError>
    </TextField>
  );
}

/** Whose password a form asks for: shown to nobody, and found by programs that keep passwords. */
export function HiddenUsername({ email }: { email: string }) {
  return <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />;
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly name?: string;
  readonly value: T;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly onChange: (value: T) => void;
  readonly isLabelHidden?: boolean;
}

/** One of a few: the browser's own list, which a phone shows best. */
export function Choice<T extends string>({ label, name, value, options, onChange, isLabelHidden }: ChoiceProps<T>) {
  const take = (taken: string): void => {
    const option = options.find(([one]) => one === taken);
    if (option !== undefined) onChange(option[0]);
  };
  return (
    <label className="field choice">
      <span className={isLabelHidden ? 'visually-hidden' : 'label'}>{label}</span>
      <select name={name} value={value} onChange={(event) => take(event.target.value)}>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface TickProps {
  readonly isSelected: boolean;
  /** Some of what it stands for are selected. */
  readonly isIndeterminate?: boolean;
  readonly onChange: (isSelected: boolean) => void;
  readonly isDisabled?: boolean;
  readonly children: ReactNode;
}

export function Tick({ children, ...props }: TickProps) {
  return (
    <Checkbox {...props} className="tick">
      {({ isSelected, isIndeterminate }) => (
        <>
          <span className="box" aria-hidden="true">
            <svg viewBox="0 0 16 16" aria-hidden="true">
              {isIndeterminate ? <path d="M4 8h8" /> : isSelected && <path d="M3 8.5l3.5 3.5L13 4.5" />}
            </svg>
          </span>
          <span>{children}</span>
        </>
      )}
    </Checkbox>
  );
}

/** What the service says of each field, for a `Form`'s `validationErrors`; `check` says it to people. */
export function errorsByField(error: unknown, check: string): Record<string, string> {
  if (!isFaturaError(error)) return {};
  const named = error.errors.length > 0 ? error.errors : [{ param: error.param, message: error.message }];
  return Object.fromEntries(
    named.flatMap(({ param, message }) => (param === null ? [] : [[param, `${check} ${message}`]])),
  );
}
