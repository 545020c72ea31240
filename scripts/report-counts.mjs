// Prints "N passed, N failed" from the JSON report of the test runner; a run without a report has failed.
import { readFileSync } from 'node:fs';

const [, , path] = process.argv;
try {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  // A file that could not be collected has no tests to count, and still is a failure.
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  console.log(`${report.numPassedTests} passed, ${report.numFailedTests + brokenFiles.length} failed`);
  process.exitCode = report.success ? 0 : 1;
} catch (error) {
  console.error(`no test report: ${error.message}`);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
