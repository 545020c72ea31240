import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../support/stack.ts';

const DEPLOY = resolve(import.meta.dirname, '../../deploy');
const read = (file: string): string => readFileSync(join(DEPLOY, file), 'utf8');

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly expr: string }[];
}

// The form is Grafana's, and the tests below read what they name.
const { panels } = JSON.parse(read('grafana/fatura.json')) as { panels: Panel[] };
const drawn = panels.filter(({ type }) => type !== 'row');

const metricsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\b(?:fatura|process|nodejs)_\w+/g)].map(([name]) => name)),
];

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
}, 120_000);
afterAll(() => stack.stop());

/** The names of what a service shows, with those that a histogram is told by. */
const shownIn = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );

test('every metric that the board and the alerts name is one that a running service shows', async () => {
  const text = await fetch(`${stack.baseUrl}/metrics`).then((answer) => answer.text());
  const shown = shownIn(text);
  const onBoard = metricsIn(drawn.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n'));
  const inRules = metricsIn([...read('prometheus/rules.yaml').matchAll(/expr: .*/g)].join('\n'));
  expect([onBoard.length > 15, inRules]).toEqual([true, ['fatura_alarms_total', 'fatura_oldest_due_seconds']]);
  expect([...onBoard, ...inRules].filter((name) => !shown.has(name))).toEqual([]);
});

test('the board has rows of money, work and process, and no panel lies upon another', () => {
  expect(panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual(['Money', 'Work', 'Process']);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
    Array.from({ length: h * w }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});

test('the board is of one job, and counts of workers are taken once however many APIs show them', () => {
  for (const { title, targets = [] } of drawn) {
    expect(targets.length, title).toBeGreaterThan(0);
    for (const { expr } of targets) {
      expect(expr.match(/\b(?:fatura|process|nodejs)_\w+(?!\w|\{job="\$job")/g) ?? [], title).toEqual([]);
      if (/fatura_(?!http_)\w+(?:_total|_bucket)/.test(expr)) expect(expr, title).toMatch(/max by \([^)]*process\)/);
    }
  }
});
