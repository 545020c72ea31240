import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readScope } from '../../../server/accounts/scope.ts';
import { mine, statement } from '../../../server/db/statement.ts';
import { PaymentScene } from '../payments/payment-scene.ts';

const countCustomers = statement<{ count: number }>(
  'count_customers_of_test',
  `SELECT count(*)::int AS count FROM customer c WHERE ${mine('c')}`,
);

const scene = new PaymentScene();

test.each(['fails', 'commits'])(
  'what still goes on when its transaction %s asks nothing of the connection',
  async (ends) => {
    const { deps } = scene;
    const scope = await readScope(deps.pool, { accountId: scene.merchant.accountId, liveMode: false });
    let late: Promise<unknown> = Promise.resolve();
    const done = deps.transaction(scope, async (tx) => {
      await tx.query(countCustomers, {});
      late = sleep(100).then(() => tx.query(countCustomers, {}));
      late.catch(() => {});
      if (ends === 'fails') throw new Error('another part failed');
      return 'done';
    });
    if (ends === 'fails') await expect(done).rejects.toThrow('another part failed');
    else expect(await done).toBe('done');
    await expect(late).rejects.toThrow('the transaction ended before count_customers_of_test was asked');
  },
);
