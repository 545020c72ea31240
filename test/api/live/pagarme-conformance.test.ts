import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Trouble } from '../../../dev/fake-pagarme/pagarme.ts';
import { cardCases } from '../../../server/payments/acquirer/conformance.ts';
import { type OpenPagarme, openFakePagarme, patiently } from './pagarme.ts';

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

/** What befalls a call, without a word of what became of it; the suite asks again until it is told, as the service does. */
const troubles: readonly Trouble[] = [
  { kind: 'request_lost', share: 0.3 },
  { kind: 'answer_lost', share: 0.3 },
  { kind: 'unavailable', share: 0.3 },
  { kind: 'fault', share: 0.3 },
  { kind: 'html_fault', share: 0.3 },
  { kind: 'too_many', share: 0.3 },
  { kind: 'slow', share: 0.3, milliseconds: 30 },
];

describe.each(troubles)('Pagar.me where calls meet $kind', (trouble) => {
  let opened: OpenPagarme;
  beforeAll(async () => {
    opened = await openFakePagarme('number');
    opened.fake.troubles.set(trouble);
  });
  afterAll(() => opened.close());

  test.each(cardCases)('$name', async ({ run }) => {
    await run({ ...opened.subject, acquirer: patiently(opened.subject.acquirer) });
  });
});
