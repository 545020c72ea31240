import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cell } from '../cell.ts';
import { Gang } from '../gang.ts';
import { type Seed, seeds, type Variation } from '../seeds.ts';
import { type Stage, startStage } from '../stage.ts';

const GANG_MAX = 16;
const CELL_MS = 120_000;

/** The cells of one seed, those together that lose the same process. */
function gangsOf(stage: () => Stage, cells: readonly Cell[], { chaos }: Seed): Map<Cell, Gang> {
  const gangs = new Map<Cell, Gang>();
  for (const together of Map.groupBy(cells, ({ death }) => JSON.stringify(death)).values())
    for (let from = 0; from < together.length; from += GANG_MAX) {
      const part = together.slice(from, from + GANG_MAX);
      const gang = new Gang(stage, part, chaos);
      for (const cell of part) gangs.set(cell, gang);
    }
  return gangs;
}

/** Cells of one rule, which their tests are named after. */
export interface Family {
  readonly rule: string;
  cells(variation: Variation): Cell[];
}

/** Declares a test for each cell and seed; the audit of everything they left ends the file. */
export function testCells(families: readonly Family[]): void {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(async () => {
    const wrong = await stage.audit();
    await stage.stop();
    expect(wrong).toEqual([]);
  });
  for (const seed of seeds) for (const family of families) testFamily(() => stage, family, seed);
}

function testFamily(stage: () => Stage, { rule, cells }: Family, seed: Seed): void {
  describe.concurrent(seeds.length === 1 ? rule : `${rule} (seed ${seed.seed})`, () => {
    const gangs = gangsOf(stage, cells(seed.variation), seed);
    test.for([...gangs].map(([cell, gang]) => [cell.name, cell, gang] as const))(
      '%s',
      { timeout: CELL_MS },
      async ([, cell, gang]) => {
        await gang.run(cell);
      },
    );
  });
}
