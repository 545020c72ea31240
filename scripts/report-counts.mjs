// Prints the slowest files, what failed and, last, "N passed, N failed" from the JSON reports of the test runner, summed over its
// runs. A run without a report has failed.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const SLOWEST = 10;
const LINES_OF_A_FAILURE = 20;
const reports = process.argv.slice(2).map(readReport);

const files = reports.flatMap(({ testResults }) => testResults);
for (const { name, startTime, endTime } of files
  .toSorted((one, other) => lasted(other) - lasted(one))
  .slice(0, SLOWEST))
  console.log(`${(lasted({ startTime, endTime }) / 1_000).toFixed(1).padStart(7)} s  ${relative('.', name)}`);

for (const { name, status, message, assertionResults } of files) {
  const broken = assertionResults.filter((test) => test.status === 'failed');
  for (const { fullName, failureMessages } of broken)
    tellFailure(`${relative('.', name)} > ${fullName}`, failureMessages);
  if (isBroken({ status, assertionResults })) tellFailure(relative('.', name), [message]);
}

const sum = (count) => reports.reduce((total, report) => total + count(report), 0);
const failed = sum(({ numFailedTests, testResults }) => numFailedTests + testResults.filter(isBroken).length);
console.log(`${sum(({ numPassedTests }) => numPassedTests)} passed, ${failed} failed`);
process.exitCode = reports.length > 0 && reports.every(({ success }) => success) ? 0 : 1;

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    console.error(`no test report: ${error.message}`);
    return { numPassedTests: 0, numFailedTests: 1, testResults: [], success: false };
  }
}

function lasted({ startTime, endTime }) {
  return endTime - startTime;
}

function tellFailure(test, messages) {
  console.log(`failed: ${test}`);
  for (const message of messages) console.log(message.split('\n').slice(0, LINES_OF_A_FAILURE).join('\n'));
}

/** What fails outside of the tests counts as well: a file that cannot be loaded, its beginning, the audit at its end. */
function isBroken({ status, assertionResults }) {
  return status === 'failed' && !assertionResults.some((test) => test.status === 'failed');
}
