import { afterAll, beforeAll, describe, test } from 'vitest';
import { cardCases } from '../../../server/payments/acquirer/conformance.ts';
import { type OpenPagarme, openFakePagarme } from './pagarme.ts';

describe.each(['token', 'number'] as const)('Pagar.me with cards by their %s', (by) => {
  let opened: OpenPagarme;
  beforeAll(async () => {
    opened = await openFakePagarme(by);
  });
  afterAll(() => opened.close());

  test.each(cardCases)('$name', ({ run }) => run(opened.subject));
});

describe('Pagar.me whose refunds take their time', () => {
  let opened: OpenPagarme;
  beforeAll(async () => {
    opened = await openFakePagarme('token');
    opened.fake.troubles.set({ kind: 'refund_stays' });
  });
  afterAll(() => opened.close());

  test.each(cardCases)('$name', ({ run }) => run(opened.subject));
});
