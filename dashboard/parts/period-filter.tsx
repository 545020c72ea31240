import type { CalendarDate } from '@internationalized/date';
import { useState } from 'react';
import {
  Button as AriaButton,
  CalendarCell,
  CalendarGrid,
  DateInput,
  DateRangePicker,
  DateSegment,
  Dialog,
  Group,
  Heading,
  Label,
  Popover,
  RangeCalendar,
} from 'react-aria-components';
import { useSharedTexts } from '../texts/shared.ts';
import { Choice } from './field.tsx';
import { type Days, daysOf, periodText, useToday } from './period.ts';
import { ANY, type MovingPeriod, movingPeriod, movingPeriods } from './period-names.ts';
import { useSetFilters } from './use-filters.ts';

function Segments({ slot }: { slot: 'start' | 'end' }) {
  return (
    <DateInput slot={slot} className="date-input">
      {(segment) => <DateSegment segment={segment} className="date-segment" />}
    </DateInput>
  );
}

const ARROWS = { previous: 'M10 3L5 8l5 5', next: 'M6 3l5 5-5 5' };

function Arrow({ slot, label }: { slot: keyof typeof ARROWS; label: string }) {
  return (
    <AriaButton slot={slot} className="arrow" aria-label={label}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={ARROWS[slot]} />
      </svg>
    </AriaButton>
  );
}

type Range = { start: CalendarDate; end: CalendarDate } | null;

/** What is typed in counts once it is whole: when one leaves the field or presses Enter; what is chosen in the calendar, at once. */
function useRange(days: Days | null, onChange: (days: Days) => void) {
  const [typed, setTyped] = useState<Range>(null);
  const [isOpen, setOpen] = useState(false);
  const take = (range: Range): void => {
    setTyped(null);
    if (range !== null) onChange({ from: range.start, until: range.end });
  };
  return {
    value: typed ?? (days === null ? null : { start: days.from, end: days.until }),
    onChange: (range: Range) => (isOpen ? take(range) : setTyped(range)),
    onBlur: () => take(typed),
    onKeyUp: (event: { key: string }) => event.key === 'Enter' && take(typed),
    isOpen,
    onOpenChange: setOpen,
  };
}

/** Two days, typed in or chosen in a calendar. */
export function DayRange({ days, onChange }: { days: Days | null; onChange: (days: Days) => void }) {
  const { parts } = useSharedTexts();
  const { onKeyUp, ...range } = useRange(days, onChange);
  return (
    <DateRangePicker {...range} onKeyUp={onKeyUp} className="field day-range">
      <Label className="visually-hidden">{parts.period}</Label>
      <Group className="control range">
        <Segments slot="start" />
        <span aria-hidden="true">–</span>
        <Segments slot="end" />
        <AriaButton className="arrow" aria-label={parts.calendar}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M2 4h12v10H2zM2 7.5h12M5 2v3M11 2v3" />
          </svg>
        </AriaButton>
      </Group>
      <Popover className="popover">
        <Dialog className="calendar-dialog">
          <RangeCalendar className="calendar">
            <header>
              <Arrow slot="previous" label={parts.previousMonth} />
              <Heading />
              <Arrow slot="next" label={parts.nextMonth} />
            </header>
            <CalendarGrid>{(date) => <CalendarCell date={date} className="day" />}</CalendarGrid>
          </RangeCalendar>
        </Dialog>
      </Popover>
    </DateRangePicker>
  );
}

/** A period of an address in words; null where it bounds nothing. */
export function usePeriodName(): (period: string | undefined) => string | null {
  const { parts } = useSharedTexts();
  return (period) => {
    const moving = movingPeriod(period);
    if (moving !== undefined) return parts[moving];
    return period === undefined || period === ANY ? null : period.replace('_', ' – ');
  };
}

type PeriodChoice = MovingPeriod | typeof ANY | 'other';

interface PeriodFilterProps {
  readonly label: string;
  /** As it stands in the address under `name`. */
  readonly value: string | undefined;
  readonly name?: string;
  /** Any date is no choice. */
  readonly isBounded?: boolean;
}

/** When: a period that moves on with the day, or two days. */
export function PeriodFilter({ label, value, name = 'period', isBounded = false }: PeriodFilterProps) {
  const { parts } = useSharedTexts();
  const setFilters = useSetFilters();
  const today = useToday();
  const [isChoosing, setChoosing] = useState(false);
  const moving = movingPeriod(value);
  const isOther = isChoosing || (value !== undefined && value !== ANY && moving === undefined);
  const choose = (choice: PeriodChoice): void => {
    setChoosing(choice === 'other');
    if (choice !== 'other') setFilters({ [name]: choice });
  };
  const options: (readonly [PeriodChoice, string])[] = [
    ...(isBounded ? [] : [[ANY, parts.anyTime] as const]),
    ...movingPeriods.map((one) => [one, parts[one]] as const),
    ['other', parts.otherPeriod],
  ];
  return (
    <>
      <Choice label={label} value={isOther ? 'other' : (moving ?? ANY)} options={options} onChange={choose} />
      {isOther && today !== undefined && (
        <DayRange days={daysOf(value, today)} onChange={(days) => setFilters({ [name]: periodText(days) })} />
      )}
    </>
  );
}
