import { DefaultFailureConverter } from '@temporalio/common';
import { factsOfDatabaseError, framesOf } from '../server/kernel/errors.ts';

/** What Temporal is told of an error: of one of the database its code and place, and nothing of the row that it refused. */
function withoutRow(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const facts = factsOfDatabaseError(error);
  if (facts === null) return error;
  const told = Object.entries(facts).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]));
  const redacted = new Error(`database error: ${told.join(', ')}`);
  redacted.name = error.name;
  redacted.stack = [`${error.name}: ${redacted.message}`, ...framesOf(error)].join('\n');
  return redacted;
}

type Told = Parameters<DefaultFailureConverter['errorToFailure']>;

/** Message and stack become a payload, which the codec seals; causes come through here, too. */
class SealedFailures extends DefaultFailureConverter {
  constructor() {
    super({ encodeCommonAttributes: true });
  }
  override errorToFailure(...[error, ...rest]: Told): ReturnType<DefaultFailureConverter['errorToFailure']> {
    return super.errorToFailure(withoutRow(error), ...rest);
  }
}

export const failureConverter = new SealedFailures();
