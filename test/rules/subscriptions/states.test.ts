import { describe, expect, test } from 'vitest';
import { subscriptionStatuses } from '../../../contract/subscriptions.ts';
import {
  nextSubscriptionStatus,
  type SubscriptionAction,
  subscriptionMoves,
} from '../../../server/subscriptions/rules.ts';

const actions: readonly SubscriptionAction[] = [
  ...(['ask', 'begin_trial', 'activate', 'suspend', 'reactivate', 'pause', 'resume', 'end'] as const),
];

/** The table of docs/product/subscriptions.md#moves, written out once more. */
const moves: Record<string, string> = {
  'scheduled ask': 'pending',
  'scheduled begin_trial': 'trialing',
  'scheduled activate': 'active',
  'scheduled end': 'inactive',
  'pending begin_trial': 'trialing',
  'trialing ask': 'pending',
  'trialing activate': 'active',
  'trialing pause': 'paused',
  'trialing end': 'inactive',
  'pending activate': 'active',
  'pending end': 'inactive',
  'active suspend': 'suspended',
  'active pause': 'paused',
  'active end': 'inactive',
  'paused resume': 'active',
  'paused suspend': 'suspended',
  'paused end': 'inactive',
  'suspended reactivate': 'pending',
  'suspended end': 'inactive',
};

describe('a subscription', () => {
  for (const status of subscriptionStatuses) {
    for (const action of actions) {
      const next = moves[`${status} ${action}`];
      if (next === undefined) {
        test(`that is ${status} refuses to ${action}`, () => {
          expect(() => nextSubscriptionStatus({ id: 'sub_1', status }, action)).toThrow(
            expect.objectContaining({ code: 'INVALID_STATE', message: expect.stringContaining(`sub_1 is ${status}`) }),
          );
        });
      } else {
        test(`that is ${status} becomes ${next} by ${action}`, () => {
          expect(nextSubscriptionStatus({ id: 'sub_1', status }, action)).toBe(next);
        });
      }
    }
  }

  test('makes the moves of the table and no others', () => {
    const listed = Object.entries(subscriptionMoves).flatMap(([status, ways]) =>
      Object.entries(ways).map(([action, next]) => [`${status} ${action}`, next] as const),
    );
    expect(Object.fromEntries(listed)).toEqual(moves);
  });
});
