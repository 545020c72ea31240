import { setTimeout as sleep } from 'node:timers/promises';
import { type Answers, type Attacker, PAUSE_MS } from './attacker.ts';
import { clientOf, receive, subscribe } from './receivers.ts';

/** Accounts at work on one thing at a time. */
const LANES = 8;

/** A thousand endpoints of two hundred accounts: half of them answer 500 at once, half never. */
export const failingEndpoints: Attacker = {
  name: '1,000 failing endpoints',
  modes: ['sandbox'],
  start: async (scene) => {
    const failing = await receive((response) => response.writeHead(500).end());
    const silent = await receive(() => {});
    const shops = scene.crowd.map((apiKey) => clientOf(scene, apiKey));
    const inLanes = async (work: (shop: (typeof shops)[number]) => Promise<unknown>): Promise<void> => {
      const left = shops.values();
      await Promise.all(
        Array.from({ length: LANES }, async () => {
          for (const shop of left) await work(shop);
        }),
      );
    };
    const removals: (() => Promise<void>)[] = [];
    await inLanes(async (shop) => {
      removals.push(await subscribe(shop, (nth) => `${nth % 2 === 0 ? failing.url : silent.url}/${nth}`));
    });
    const answers: Answers = { made: 0 };
    let isOver = false;
    const making = (async () => {
      while (!isOver) {
        await inLanes(async (shop) => {
          if (isOver) return;
          await shop.products.create({ name: 'x' });
          answers.made = (answers.made ?? 0) + 1;
          await sleep(PAUSE_MS);
        });
      }
    })();
    return async () => {
      isOver = true;
      await making;
      await Promise.all(removals.map((removeAll) => removeAll()));
      failing.close();
      silent.close();
      return answers;
    };
  },
};
