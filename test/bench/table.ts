import type { Summary } from './latencies.ts';
import type { Cores } from './usage.ts';

/** One line of the table; what a figure does not have is left out. */
export interface Figure {
  readonly what: string;
  readonly connections?: number;
  readonly perSecond: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly cores?: Cores;
  readonly note?: string;
}

export const figureOf = (what: string, connections: number, measured: { result: Summary; cores: Cores }): Figure => ({
  what,
  connections,
  perSecond: measured.result.perSecond,
  p50Ms: measured.result.p50Ms,
  p99Ms: measured.result.p99Ms,
  cores: measured.cores,
});

const whole = (value: number): string => Math.round(value).toLocaleString('en');
const ms = (value: number | undefined): string => (value === undefined ? '' : value.toFixed(value < 10 ? 2 : 1));

/** `api 0.93, postgres 0.60`: cores kept busy by each. */
const busy = (cores: Cores | undefined): string =>
  Object.entries(cores ?? {})
    .map(([name, share]) => `${name} ${share.toFixed(2)}`)
    .join(', ');

/** A Markdown table that reads as plain text. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

export function formatTable(figures: readonly Figure[]): string {
  const head = ['figure', 'connections', 'per second', 'p50 ms', 'p99 ms', 'cores busy', ''];
  const rows = figures.map((figure) => [
    figure.what,
    figure.connections === undefined ? '' : String(figure.connections),
    whole(figure.perSecond),
    ms(figure.p50Ms),
    ms(figure.p99Ms),
    busy(figure.cores),
    figure.note ?? '',
  ]);
  return tableOf(head, rows);
}

export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
