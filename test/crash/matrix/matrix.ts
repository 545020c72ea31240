import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cell, Fate } from '../cell.ts';
import { Gang, type Play } from '../gang.ts';
import { SandboxMember } from '../member.ts';
import { type Seed, seeds, type Variation } from '../seeds.ts';
import { type Stage, startStage } from '../stage.ts';

const GANG_MAX = 16;
const CELL_MS = 120_000;

/** The cells of one seed, those together that lose the same process. */
function gangsOf<S extends Stage, C extends Fate>(
  play: Play<S, C>,
  cells: readonly C[],
  { chaos }: Seed,
): Map<C, Gang<S, C>> {
  const gangs = new Map<C, Gang<S, C>>();
  for (const together of Map.groupBy(cells, ({ death }) => JSON.stringify(death)).values())
    for (let from = 0; from < together.length; from += GANG_MAX) {
      const part = together.slice(from, from + GANG_MAX);
      const gang = new Gang(play, part, chaos);
      for (const cell of part) gangs.set(cell, gang);
    }
  return gangs;
}

/** Cells of one rule, which their tests are named after. */
export interface Family<C = Cell> {
  readonly rule: string;
  cells(variation: Variation): C[];
}

/** Declares a test for each cell and seed, at the sandbox's acquirer. */
export const testCells = (families: readonly Family[]): void =>
  testPlay({ start: startStage, enlist: SandboxMember.of }, families);

/** Declares a test for each cell and seed; the audit of everything they left ends the file. */
export function testPlay<S extends Stage, C extends Fate>(
  { start, enlist }: { start: () => Promise<S>; enlist: Play<S, C>['enlist'] },
  families: readonly Family<C>[],
): void {
  let stage: S;
  beforeAll(async () => {
    stage = await start();
  });
  afterAll(async () => {
    const wrong = await stage.audit();
    await stage.stop();
    expect(wrong).toEqual([]);
  });
  const play = { stage: () => stage, enlist };
  for (const seed of seeds) for (const family of families) testFamily(play, family, seed);
}

function testFamily<S extends Stage, C extends Fate>(play: Play<S, C>, { rule, cells }: Family<C>, seed: Seed): void {
  describe.concurrent(seeds.length === 1 ? rule : `${rule} (seed ${seed.seed})`, () => {
    const gangs = gangsOf(play, cells(seed.variation), seed);
    test.for([...gangs].map(([cell, gang]) => [cell.name, cell, gang] as const))(
      '%s',
      { timeout: CELL_MS },
      async ([, cell, gang]) => {
        await gang.run(cell);
      },
    );
  });
}
