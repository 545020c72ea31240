import type { ErrorCode } from '../../contract/errors.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import type { Timestamp } from '../kernel/time.ts';

/** Who asks for what is due: a run or a case, or the test clock, which has an account for itself while it holds its clock. */
export interface Asked {
  readonly by: 'time' | 'test_clock';
}
export const BY_TIME: Asked = { by: 'time' };

/** Whether it is time for whoever asks: while a clock is held, only what moves it does what falls due. */
export const isTime = (deps: Deps, scope: Scope, { at, by }: Asked & { readonly at: Timestamp }): boolean =>
  at <= deps.clock.now(scope) && (scope.clock.heldAt === null || by === 'test_clock');

/** Whether something was refused for a reason that passes. */
export const isHeldUp = (error: unknown, reasons: readonly ErrorCode[]): boolean =>
  error instanceof BillingError && reasons.includes(error.code);
