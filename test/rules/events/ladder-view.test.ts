import { expect, test } from 'vitest';
import { type AttemptRow, type LadderRow, viewDelivery } from '../../../server/events/view.ts';

const ladder: LadderRow = {
  eventId: 'evt_1',
  endpointId: 'we_1',
  ladder: 1,
  status: 'pending',
  attemptsMade: 1,
  nextAttemptAt: 1_795_257_660,
};

const attempted = (attempt: number): AttemptRow => ({
  eventId: 'evt_1',
  endpointId: 'we_1',
  ladder: 1,
  attempt,
  at: 1_795_257_600,
  statusCode: 500,
  failure: 'http_status',
  detail: 'HTTP 500',
  answer: null,
  durationMs: 12,
});

test('regression-156-an attempt that ends while a ladder is read is not shown beside what stood before it', () => {
  const shown = viewDelivery(ladder, [attempted(1), attempted(2)]);
  expect(shown.attempts.map(({ attempt }) => attempt)).toEqual([1]);
  expect(viewDelivery({ ...ladder, attemptsMade: 0, nextAttemptAt: null }, [attempted(1)]).attempts).toEqual([]);
});
