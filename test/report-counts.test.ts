import { execFileSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

type Told = { readonly last: string | undefined; readonly failed: readonly string[]; readonly code: number };

/** What the script says of these reports of the runner; null: a run that left none. */
function count(...reports: (object | null)[]): Told {
  const folder = mkdtempSync(join(tmpdir(), 'fatura-report-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const paths = reports.map((report, index) => {
    const path = join(folder, `${index}.json`);
    if (report !== null) writeFileSync(path, JSON.stringify(report));
    return path;
  });
  const told = (out: string, code: number): Told => {
    const lines = out.trim().split('\n');
    return { last: lines.at(-1), failed: lines.filter((line) => /^(failed|why):/.test(line)), code };
  };
  try {
    const args = ['scripts/report-counts.mjs', ...paths];
    return told(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' }), 0);
  } catch (error) {
    const { stdout, status } = error as SpawnSyncReturns<string>; // what a program that fails is told by
    return told(stdout, status ?? -1);
  }
}

const file = (status: string, ...tests: string[]) => ({
  name: 'x.test.ts',
  startTime: 0,
  endTime: 1,
  status,
  message: `why: ${status}`,
  assertionResults: tests.map((each, nth) => ({
    status: each,
    fullName: `test ${nth}`,
    failureMessages: each === 'failed' ? [`why: of ${nth}`] : [],
  })),
});
const sound = {
  numPassedTests: 2,
  numFailedTests: 0,
  success: true,
  testResults: [file('passed', 'passed', 'passed')],
};

test('the counts of several runs are summed', () => {
  expect(count(sound, sound)).toEqual({ last: '4 passed, 0 failed', failed: [], code: 0 });
  const failed = {
    numPassedTests: 1,
    numFailedTests: 1,
    success: false,
    testResults: [file('failed', 'passed', 'failed')],
  };
  expect(count(sound, failed)).toEqual({
    last: '3 passed, 1 failed',
    failed: ['failed: x.test.ts > test 1', 'why: of 1'],
    code: 1,
  });
});

test('what fails outside of the tests is counted: a file, its beginning, its end, a run', () => {
  for (const tests of [[], ['skipped'], ['passed']]) {
    const broken = { numPassedTests: 0, numFailedTests: 0, success: false, testResults: [file('failed', ...tests)] };
    expect(count(sound, broken)).toEqual({
      last: '2 passed, 1 failed',
      failed: ['failed: x.test.ts', 'why: failed'],
      code: 1,
    });
  }
  expect(count(sound, null)).toEqual({ last: '2 passed, 1 failed', failed: [], code: 1 });
  expect(count()).toMatchObject({ code: 1 });
});
