import type { DiscountView } from './page-data.ts';

const CENTS_IN_REAL = 100;
const MS_IN_SECOND = 1_000;
const SECONDS_IN_MINUTE = 60;
const MINUTES_IN_HOUR = 60;
const HOURS_IN_DAY = 24;
const NO_BREAK_SPACE = /\u00a0/g;

const reais = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });
const percent = new Intl.NumberFormat('pt-BR', { maximumFractionDigits: 2 });
/** The calendar of the service, wherever the browser is. */
const timeZone = 'America/Sao_Paulo';
const dates = new Intl.DateTimeFormat('pt-BR', { timeZone, day: '2-digit', month: '2-digit', year: 'numeric' });
const days = new Intl.DateTimeFormat('pt-BR', { timeZone, day: '2-digit', month: '2-digit' });
const times = new Intl.DateTimeFormat('pt-BR', { timeZone, hour: '2-digit', minute: '2-digit' });

/** `R$ 99,90` */
export const money = (cents: number): string => reais.format(cents / CENTS_IN_REAL).replace(NO_BREAK_SPACE, ' ');

/** `12,5%` */
export const percentage = (value: number): string => `${percent.format(value)}%`;

/** `Boas-vindas (12,5%)` */
export function discountName({
  description,
  percentage: percent,
}: Pick<DiscountView, 'description' | 'percentage'>): string {
  const name = description ?? 'Desconto';
  return percent === null ? name : `${name} (${percentage(percent)})`;
}

const instant = (at: number): Date => new Date(at * MS_IN_SECOND);

/** `24/11/2026` */
export const date = (at: number): string => dates.format(instant(at));

/** `24/11` */
export const dayMonth = (at: number): string => days.format(instant(at));

/** `24/11/2026 às 09:05` */
export const moment = (at: number): string => `${date(at)} às ${times.format(instant(at))}`;

/** As machines read it. */
export const isoInstant = (at: number): string => instant(at).toISOString();

const twoDigits = (value: number): string => String(value).padStart(2, '0');

const counted = (count: number, [one, several]: readonly [string, string]): string =>
  `${count} ${count === 1 ? one : several}`;

function daysAndHours(days: number, hours: number): string {
  const whole = counted(days, ['dia', 'dias']);
  return hours === 0 ? whole : `${whole} e ${counted(hours, ['hora', 'horas'])}`;
}

/** What is left of a time: `2 dias e 3 horas`, `5 h 12 min`, `09:41`. */
export function timeLeft(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / MS_IN_SECOND));
  const minutes = Math.floor(seconds / SECONDS_IN_MINUTE);
  const hours = Math.floor(minutes / MINUTES_IN_HOUR);
  const days = Math.floor(hours / HOURS_IN_DAY);
  if (days > 0) return daysAndHours(days, hours % HOURS_IN_DAY);
  if (hours > 0) return `${hours} h ${minutes % MINUTES_IN_HOUR} min`;
  return `${twoDigits(minutes)}:${twoDigits(seconds % SECONDS_IN_MINUTE)}`;
}
