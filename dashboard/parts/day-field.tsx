import type { CalendarDate } from '@internationalized/date';
import { FieldError, Input, Label, Text, TextField } from 'react-aria-components';
import { useSharedTexts } from '../texts/shared.ts';
import { secondsOfDays } from './period.ts';

/** The last second of a day in Brasília: what is due on a day can be paid on all of it. */
export const endOfDay = (day: CalendarDate): number => secondsOfDays({ from: day, until: day }).lte;

interface DayFieldProps {
  readonly label: string;
  /** The parameter of the API, which errors name. */
  readonly name: string;
  /** `2026-11-24`; empty: none yet. */
  readonly value: string;
  readonly onChange: (day: string) => void;
  readonly min: CalendarDate;
  readonly max: CalendarDate;
  readonly hint?: string;
  /** It may be left empty. */
  readonly isOptional?: boolean;
}

/** A day: the browser's own field, which a phone shows best. */
export function DayField({ label, name, value, onChange, min, max, hint, isOptional = false }: DayFieldProps) {
  const { parts } = useSharedTexts();
  return (
    <TextField className="field" name={name} type="date" value={value} onChange={onChange} isRequired={!isOptional}>
      <Label>
        {label}
        {isOptional && <span className="soft"> ({parts.optional})</span>}
      </Label>
      <div className="control">
        <Input min={min.toString()} max={max.toString()} />
      </div>
      {hint !== undefined && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <FieldError className="error" />
    </TextField>
  );
}
