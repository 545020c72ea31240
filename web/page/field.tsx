import type { ComponentChildren } from 'preact';
import { caretAfter } from './card-fields.ts';

interface FieldProps {
  readonly id: string;
  /** Of a field that the browser may send by itself; a field of a card has none, so that no form can carry it. */
  readonly name?: string;
  readonly label: ComponentChildren;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
  /** A text in the form of the field, whatever it was typed or pasted with. */
  readonly mask: (text: string) => string;
  readonly autocomplete?: string;
  readonly inputMode?: 'numeric' | 'text' | 'email' | 'tel';
  readonly isRequired?: boolean;
  readonly maxLength?: number;
  readonly hint?: string;
  readonly className?: string;
  readonly children?: ComponentChildren;
}

/** Writes a text as its mask has it, and leaves the caret behind the sign that was typed. */
function keepInForm(mask: FieldProps['mask'], input: HTMLInputElement): string {
  const text = mask(input.value);
  if (text === input.value) return text;
  const before = input.value.slice(0, input.selectionStart ?? 0).replace(/[^0-9A-Za-z]/g, '').length;
  input.value = text;
  const caret = caretAfter(text, before);
  input.setSelectionRange(caret, caret);
  return text;
}

const joined = (...ids: (string | false)[]): string | undefined =>
  ids.filter((id) => id !== false).join(' ') || undefined;

export function Field({ id, mask, label, value, error, onChange, hint, className, children, ...input }: FieldProps) {
  const { name, autocomplete, inputMode, isRequired = false, maxLength } = input;
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  return (
    <div class={`field ${className ?? ''}`}>
      <label for={id}>{label}</label>
      <div class="control">
        <input
          id={id}
          name={name}
          type="text"
          value={value}
          autocomplete={autocomplete ?? 'off'}
          inputMode={inputMode ?? 'text'}
          maxLength={maxLength ?? 100}
          spellcheck={false}
          aria-required={isRequired}
          aria-invalid={error !== undefined}
          aria-describedby={joined(hint !== undefined && hintId, error !== undefined && errorId)}
          onInput={({ currentTarget }) => onChange(keepInForm(mask, currentTarget))}
        />
        {children}
      </div>
      {hint !== undefined && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="error" id={errorId}>
          {error}
        </p>
      )}
    </div>
  );
}
