import type { DiscountView } from './page-data.ts';
import { pt, type Texts } from './texts/pt.ts';
import type { Language } from './texts.ts';

const CENTS_IN_REAL = 100;
const MS_IN_SECOND = 1_000;
const SECONDS_IN_MINUTE = 60;
const MINUTES_IN_HOUR = 60;
const HOURS_IN_DAY = 24;
const NO_BREAK_SPACE = /\u00a0/g;

/** The calendar of the service, wherever the browser is. */
const timeZone = 'America/Sao_Paulo';
/** Days before months, as on everything else in Brazil. */
const LOCALES: Readonly<Record<Language, { readonly numbers: string; readonly dates: string }>> = {
  pt: { numbers: 'pt-BR', dates: 'pt-BR' },
  en: { numbers: 'en-US', dates: 'en-GB' },
};

const instant = (at: number): Date => new Date(at * MS_IN_SECOND);

/** As machines read it. */
export const isoInstant = (at: number): string => instant(at).toISOString();

const twoDigits = (value: number): string => String(value).padStart(2, '0');

function momentsIn(language: Language, words: Texts) {
  const { dates: locale } = LOCALES[language];
  const dates = new Intl.DateTimeFormat(locale, { timeZone, day: '2-digit', month: '2-digit', year: 'numeric' });
  const days = new Intl.DateTimeFormat(locale, { timeZone, day: '2-digit', month: '2-digit' });
  const times = new Intl.DateTimeFormat(locale, { timeZone, hour: '2-digit', minute: '2-digit' });
  const daysAndHours = (days: number, hours: number): string =>
    hours === 0 ? words.days(days) : `${words.days(days)}${words.and}${words.hours(hours)}`;
  const date = (at: number): string => dates.format(instant(at));
  return {
    /** `24/11/2026` */
    date,
    /** `24/11` */
    dayMonth: (at: number): string => days.format(instant(at)),
    /** `24/11/2026 às 09:05` */
    moment: (at: number): string => words.at(date(at), times.format(instant(at))),
    /** What is left of a time: `2 dias e 3 horas`, `5 h 12 min`, `09:41`. */
    timeLeft(leftMs: number): string {
      const seconds = Math.max(0, Math.ceil(leftMs / MS_IN_SECOND));
      const minutes = Math.floor(seconds / SECONDS_IN_MINUTE);
      const hours = Math.floor(minutes / MINUTES_IN_HOUR);
      const days = Math.floor(hours / HOURS_IN_DAY);
      if (days > 0) return daysAndHours(days, hours % HOURS_IN_DAY);
      if (hours > 0) return `${hours} h ${minutes % MINUTES_IN_HOUR} min`;
      return `${twoDigits(minutes)}:${twoDigits(seconds % SECONDS_IN_MINUTE)}`;
    },
  };
}

/** How amounts, dates and times are written in a language. */
export function formatsIn(language: Language, texts: Texts) {
  const { numbers } = LOCALES[language];
  const reais = new Intl.NumberFormat(numbers, { style: 'currency', currency: 'BRL' });
  const percent = new Intl.NumberFormat(numbers, { maximumFractionDigits: 2 });
  const percentage = (value: number): string => `${percent.format(value)}%`;
  return {
    ...momentsIn(language, texts),
    /** `R$ 99,90` */
    money: (cents: number): string => reais.format(cents / CENTS_IN_REAL).replace(NO_BREAK_SPACE, ' '),
    /** `12,5%` */
    percentage,
    /** `Boas-vindas (12,5%)` */
    discountName(discount: Pick<DiscountView, 'description' | 'percentage'>): string {
      const name = discount.description ?? texts.summary.discount;
      return discount.percentage === null ? name : `${name} (${percentage(discount.percentage)})`;
    },
  };
}

export type Formats = ReturnType<typeof formatsIn>;

/** As receipts are written. */
export const { money, date, moment, percentage, timeLeft, discountName } = formatsIn('pt', pt);
