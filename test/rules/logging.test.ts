import { expect, test } from 'vitest';
import { serializeError } from '../../server/logging.ts';

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
