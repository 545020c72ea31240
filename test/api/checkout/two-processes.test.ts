import { afterAll, beforeAll, expect, test } from 'vitest';
import { performExpiry } from '../../../server/checkout/expire.ts';
import { sdkFor } from '../../support/api.ts';
import { byCard } from '../../support/cards.ts';
import { type AnotherProcess, startAnother } from '../another-process.ts';
import { DECISION, SessionScene } from './session-scene.ts';

const ROUNDS = 100;
const TEST_MS = 120_000;

const scene = new SessionScene();
let another: AnotherProcess;
beforeAll(async () => {
  another = await startAnother(scene.api);
});
afterAll(() => another.stop());

test(
  'payment and expiry at one instant leave paid and complete, or void and expired, and no money behind',
  async () => {
    const there = sdkFor(another.baseUrl, scene.merchant.sandboxKey);
    const ends = { complete: 0, expired: 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      const session = await scene.create(round % 3 === 0 ? { mode: 'subscription' } : {});
      const invoice = session.invoice ?? '';
      const isByPix = round % 2 === 0;
      const { intent } = isByPix ? await scene.checkoutByPix(invoice) : { intent: '' };
      const isByDeadline = round % 4 < 2;
      // A card must be charged before the deadline; a QR code may be paid until it, and is decided on behind it.
      await scene.pass(session, isByDeadline ? -1 : -60);
      const pays = isByPix ? () => scene.payPix(intent) : () => there.invoices.checkout(invoice, byCard());
      const ending = isByDeadline
        ? async () => {
            await scene.pass(session, isByPix ? DECISION : 0);
            await performExpiry(another.composition.deps, session.id);
          }
        : () => there.checkoutSessions.expire(session.id);
      await Promise.allSettled([pays(), ending()]);
      await performExpiry(scene.deps, session.id);
      const { status } = await scene.session(session.id);
      expect(['complete', 'expired'], `round ${round}`).toContain(status);
      ends[status === 'complete' ? 'complete' : 'expired'] += 1;
      const { status: invoiced, amount_paid: paid } = await scene.invoice(invoice);
      expect([status, invoiced, paid > 0]).toEqual(
        status === 'complete' ? ['complete', 'paid', true] : ['expired', 'void', false],
      );
    }
    // Each came first at times.
    expect(Math.min(ends.complete, ends.expired)).toBeGreaterThan(0);
  },
  TEST_MS,
);
