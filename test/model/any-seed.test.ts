import { afterAll, beforeAll, expect } from 'vitest';
import { testInterleavings } from './interleavings.ts';
import { readModelRun } from './settings.ts';
import { unmet } from './witnesses.ts';

const { batches, replay, isWhole } = readModelRun(process.env);

beforeAll(() => {
  const [first] = batches;
  // Its tests are named after their seeds, which the runner does not print when they pass.
  console.log(`${batches.length} batches of interleavings from MODEL_SEED=${first?.seed} on`);
});

testInterleavings(batches, replay);

afterAll(() => {
  // A few runs meet a few things.
  if (isWhole) expect(unmet()).toEqual([]);
});
