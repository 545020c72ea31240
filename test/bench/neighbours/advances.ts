import { setTimeout as sleep } from 'node:timers/promises';
import type { Answers, Attacker } from './attacker.ts';
import { clientOf } from './receivers.ts';

const QUARTER_SECONDS = 90 * 86_400;
const LOOK_MS = 100;

/** Sandboxes full of subscriptions, whose clocks are advanced by a quarter again and again. */
export const advances: Attacker = {
  name: 'advances',
  modes: ['sandbox'],
  start: async (scene) => {
    const answers: Answers = { quarters: 0 };
    let isOver = false;
    const storms = scene.subscribed.map(async (apiKey) => {
      const { testClock } = clientOf(scene, apiKey);
      while (!isOver) {
        const { now } = await testClock.retrieve();
        let clock = await testClock.advance({ to: now + QUARTER_SECONDS });
        for (; clock.status !== 'ready'; clock = await testClock.retrieve()) await sleep(LOOK_MS);
        answers.quarters = (answers.quarters ?? 0) + 1;
      }
    });
    return async () => {
      isOver = true;
      await Promise.all(storms);
      return answers;
    };
  },
};
