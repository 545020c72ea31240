import { afterAll, beforeAll, test } from 'vitest';
import { payByPix } from './commands/checkouts.ts';
import { close } from './commands/closings.ts';
import { Meanwhile } from './commands/together.ts';
import { comeToRest } from './rest.ts';
import { Run } from './run.ts';
import { Stage } from './stage.ts';

/** What the model found once, as few commands as it took. */
let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

test('regression-7-a QR code that the bank makes after its invoice was voided is ended at the bank', async () => {
  const run = await Run.open(stage, [10_000]);
  const voidedMeanwhile = new Meanwhile({
    first: payByPix,
    second: close('void'),
    at: 'pix.after-intent',
    weather: { troubles: [{ call: 'createPix', trouble: 'answer_lost' }] },
  });
  await voidedMeanwhile.run(run, stage);
  await comeToRest(run, stage);
});
