import { expect, test } from 'vitest';
import { createLogger, serializeError } from '../../server/logging.ts';
import { tell } from '../../workflows/temporal.ts';

const refused = () =>
  Object.assign(new Error('insert into customer values (Joana Segredo)'), {
    code: '23514',
    severity: 'ERROR',
    table: 'customer',
    constraint: 'customer_check',
    detail: 'Failing row contains (cus_1, Joana Segredo, 52998224725).',
  });

test("a database error is logged without the customer's data that it carries, at any depth", () => {
  const wrapped = new Error('outer', { cause: new Error('inner', { cause: refused() }) });
  for (const error of [refused(), wrapped]) {
    const text = JSON.stringify(serializeError(error));
    expect(text).not.toMatch(/Joana|52998224725/);
    expect(text).toContain('customer_check');
  }
});

test('other errors keep their message', () => {
  expect(serializeError(new Error('no room'))).toMatchObject({ message: 'no room' });
});

test('what Temporal tells of a failed activity is logged without the values of the row that failed', () => {
  const lines: string[] = [];
  const logger = createLogger({
    level: 'info',
    process: 'worker',
    destination: { write: (line) => void lines.push(line) },
  });
  const meta = { error: refused(), durationMs: 7, sdkComponent: 'worker' };
  tell(logger, { level: 'WARN', message: 'Activity failed', meta });
  tell(logger, { level: 'ERROR', message: 'Worker failed', meta: { taskQueue: 'fatura' } });
  expect(lines.join()).not.toMatch(/Joana|52998224725/);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 40, msg: 'Activity failed', temporal: { durationMs: 7 }, err: { constraint: 'customer_check' } },
    { level: 50, msg: 'Worker failed', temporal: { taskQueue: 'fatura' } },
  ]);
});
