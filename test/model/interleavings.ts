import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AtLeast } from './at-least.ts';
import { anyCommand } from './commands/all.ts';
import { comeToRest, payWhatIsOpen } from './rest.ts';
import { Run } from './run.ts';
import { type Batch, type Replay, replayLine } from './settings.ts';
import { Stage } from './stage.ts';

const DRAWN_MIN = 10;
const DRAWN_MAX = 30;
const TEST_MS = 600_000;

/** Whole refunds by PIX of the second are refused by the bank, and its surplus is refused the first time. */
const amounts = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: fc.constantFrom([10_000], [1_099]), weight: 4 },
  { arbitrary: fc.constant([10_000, 4_500]), weight: 1 },
);

/** Made anew for each batch: it remembers what it needs to shrink. */
const interleavings = ({ commands }: Replay) =>
  new AtLeast(DRAWN_MIN, fc.commands([anyCommand], { maxCommands: DRAWN_MAX, size: 'max', ...commands }));

const property = (stage: Stage, replay: Replay) =>
  fc.asyncProperty(amounts, interleavings(replay), async (totals, commands) => {
    try {
      const run = await Run.open(stage, totals);
      await fc.asyncModelRun(() => ({ model: run, real: stage }), commands);
      await comeToRest(run, stage);
      await payWhatIsOpen(run, stage);
    } catch (error) {
      await stage.forget();
      throw error;
    }
  });

/** Declares a test for each batch, which has a database of its own, audited after its last interleaving. */
export function testInterleavings(batches: readonly Batch[], replay: Replay = {}): void {
  test.concurrent.for(batches)(
    'money is right however payments, refunds, faults and time interleave (seed $seed)',
    { timeout: TEST_MS },
    async ({ seed, numRuns }) => {
      const stage = await Stage.open();
      const found = await fc.check(property(stage, replay), { seed, numRuns, ...replay.property });
      if (found.failed) {
        await stage.close().catch(() => {});
        expect.fail(`${replayLine(found)}\n${String(found.errorInstance)}\n${fc.defaultReportMessage(found)}`);
      }
      await stage.close();
    },
  );
}
