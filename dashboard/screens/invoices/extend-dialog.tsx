import { type Invoice, isFaturaError } from '@fatura/sdk';
import { type CalendarDate, parseDate } from '@internationalized/date';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { useFatura } from '../../api/queries.ts';
import { useAct } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { DayField, endOfDay } from '../../parts/day-field.tsx';
import { Dialog, FormFoot } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { errorsByField } from '../../parts/field.tsx';
import { dayOf, useToday } from '../../parts/period.ts';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { invoiceTexts } from './texts.ts';

interface ExtendDialogProps {
  readonly invoice: Invoice;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** What people agree on most. */
const DAYS = [7, 15, 30] as const;
/** The API takes 365 days from now, and a day is over at its end. */
const DAYS_MAX = 364;

const later = (one: CalendarDate, other: CalendarDate): CalendarDate => (one.compare(other) > 0 ? one : other);

function ExtendForm({ invoice, today, onClose }: Omit<ExtendDialogProps, 'isOpen'> & { today: CalendarDate }) {
  const texts = useTexts(invoiceTexts).extend;
  const { parts } = useSharedTexts();
  const { date } = useFormat();
  const fatura = useFatura();
  const from = later(dayOf(invoice.due_at), today);
  const [day, setDay] = useState(from.add({ days: DAYS[0] }).toString());
  const { run, isPending, error } = useAct(
    (dueAt: number, options) => fatura.invoices.extend(invoice.id, { due_at: dueAt }, options),
    { done: ({ due_at: dueAt }) => texts.done(date(dueAt)), onDone: onClose },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    run(endOfDay(parseDate(day)));
  };
  const isAwaited = isFaturaError(error, 'INVALID_STATE');
  return (
    <Form className="stack" onSubmit={submit} validationErrors={errorsByField(error, parts.checkField)}>
      <p>{texts.text(date(invoice.due_at))}</p>
      <DayField
        label={texts.day}
        name="due_at"
        value={day}
        onChange={setDay}
        min={from.add({ days: 1 })}
        max={today.add({ days: DAYS_MAX })}
      />
      <div className="actions">
        {DAYS.map((days) => (
          <Button key={days} onPress={() => setDay(from.add({ days }).toString())}>
            {texts.in(days)}
          </Button>
        ))}
      </div>
      {error !== null && <ErrorNote error={error}>{isAwaited ? texts.awaited : undefined}</ErrorNote>}
      <FormFoot action={texts.action} isPending={isPending} onClose={onClose} />
    </Form>
  );
}

/** Gives an open invoice a later due date. */
export function ExtendDialog(props: ExtendDialogProps) {
  const texts = useTexts(invoiceTexts).extend;
  const today = useToday();
  return (
    <Dialog title={texts.action} isOpen={props.isOpen} onClose={props.onClose}>
      {today !== undefined && <ExtendForm {...props} today={today} />}
    </Dialog>
  );
}
