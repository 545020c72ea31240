import { expect, onTestFinished, test } from 'vitest';
import { Loop } from '../../server/jobs/loop.ts';

test('regression-160-the first turn of a loop comes when whoever makes it is ready', async () => {
  let isReady = false;
  const begun = Promise.withResolvers<boolean>();
  const loop = new Loop({
    logger: { warn: () => {}, info: () => {} },
    what: 'a loop',
    turn: async () => {
      begun.resolve(isReady);
      return 60_000;
    },
    retryMs: 60_000,
  });
  isReady = true;
  onTestFinished(() => loop.stop());
  expect(await begun.promise).toBe(true);
});
