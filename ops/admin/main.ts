import { reasonOf } from '../../server/exit-saying.ts';
import { BillingError } from '../../server/kernel/errors.ts';
import { adminProgram } from './program.ts';

try {
  await adminProgram(process.env).parseAsync();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  const violations = error instanceof BillingError ? error.violations.map(({ message }) => message) : [];
  console.error(violations.join('\n') || reasonOf(error));
  process.exitCode = 1;
}
