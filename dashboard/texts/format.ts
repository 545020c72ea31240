import { type Language, localeOf } from './catalogue.ts';
import { useLanguage } from './language.tsx';
import { CENTS_IN_REAL } from './numbers.ts';
import { TIME_ZONE } from './time-zone.ts';

export { TIME_ZONE } from './time-zone.ts';

const MS_IN_SECOND = 1_000;
const NO_BREAK_SPACES = /[\u00a0\u202f]/g;

export const instant = (at: number): Date => new Date(at * MS_IN_SECOND);

function formatsOf(language: Language) {
  const locale = localeOf[language];
  const reais = new Intl.NumberFormat(locale, { style: 'currency', currency: 'BRL' });
  const numbers = new Intl.NumberFormat(locale);
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const exact = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  const of = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone: TIME_ZONE, ...options });
  const dates = of({ day: '2-digit', month: '2-digit', year: 'numeric' });
  const times = of({ hour: '2-digit', minute: '2-digit', hour12: false });
  const moments = of({
    day: '2-digit',
    month: '2-digit',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  });
  const long = of({ weekday: 'long', day: 'numeric', month: 'long' });
  return {
    /** `R$ 99,90` */
    money: (cents: number): string => reais.format(cents / CENTS_IN_REAL).replace(NO_BREAK_SPACES, ' '),
    /** `1.234` */
    number: (value: number): string => numbers.format(value),
    /** `12,5%`, of 0.125 */
    percent: (share: number): string => percents.format(share),
    /** A percentage that was agreed on, to its two decimals. */
    percentage: (value: number): string => exact.format(value / 100),
    /** `24/11/2026` */
    date: (at: number): string => dates.format(instant(at)),
    /** `09:05` */
    time: (at: number): string => times.format(instant(at)),
    /** `24/11/2026, 09:05` */
    moment: (at: number): string => moments.format(instant(at)),
    /** `terça-feira, 24 de novembro` */
    day: (at: number): string => long.format(instant(at)),
  };
}

export type Format = ReturnType<typeof formatsOf>;

const formats: Readonly<Record<Language, Format>> = { pt: formatsOf('pt'), en: formatsOf('en') };

/** The same in a language, for texts to others. */
export const formatIn = (language: Language): Format => formats[language];

/** Money, numbers and instants as the person reads them. */
export const useFormat = (): Format => formats[useLanguage().language];

/** As machines read it. */
export const isoInstant = (at: number): string => instant(at).toISOString();
